"""Small MJCF models with constructs that readers often get wrong; bench/mjcf/run.py also compares them with MuJoCo."""

BOX = '<geom type="box" size=".1 .06 .03" pos=".05 .02 .01" euler="10 20 30"/>'
ROD = '<geom type="capsule" size=".04" fromto="0 0 0 .1 .05 .3"/>'


def model(body, rest="", head=""):
    """Returns a model with these elements in, after and before the world."""
    return f"<mujoco>{head}<worldbody>{body}</worldbody>{rest}</mujoco>"


#: models that Heft takes
TAKEN = {
    "several_roots": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="ja" axis="0 1 0"/>
      BOX
    </body>
    <body name="b" pos="1 0 0">
      <joint name="jb"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "rotated_base": """
<mujoco>
  <worldbody>
    <body name="base" pos="0 0 1" euler="90 20 0">
      BOX
      <body name="arm" pos=".1 0 0">
        <joint name="j" axis="0 1 1"/>
        ROD
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "frames_and_replicate": """
<mujoco>
  <worldbody>
    <frame pos="0 .2 0" euler="0 30 0">
      <body name="a">
        <joint name="ja" axis="1 0 0"/>
        ROD
      </body>
    </frame>
    <replicate count="2" offset=".5 0 0">
      <body name="r">
        <joint name="jr" axis="0 1 0"/>
        ROD
      </body>
    </replicate>
  </worldbody>
</mujoco>
""",
    "repeated_sections": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="ja" axis="0 1 0"/>
      <geom size=".1" pos=".1 0 0"/>
    </body>
  </worldbody>
  <option gravity="1 2 -9"/>
  <worldbody>
    <body name="b">
      <joint name="jb" axis="1 0 0"/>
      <geom size=".1" pos="0 0 .2"/>
    </body>
  </worldbody>
</mujoco>
""",
    "unnamed": """
<mujoco>
  <worldbody>
    <body>
      <joint axis="0 1 0"/>
      ROD
      <body pos="0 0 .3">
        <joint axis="1 0 0"/>
        BOX
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "joints_in_one_body": """
<mujoco>
  <worldbody>
    <body name="base">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0" pos=".1 0 0"/>
      <joint name="turn" axis="0 0 1" pos=".2 .1 0"/>
      BOX
      <body name="arm" pos="0 0 .1">
        <joint name="j" axis="0 1 0"/>
        ROD
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "ball": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="ball" type="ball" damping=".2" armature=".03" pos=".1 0 0"/>
      ROD
      <body name="b" pos="0 0 .3">
        <joint name="j" axis="1 0 0"/>
        BOX
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "free_base": """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="trunk" pos="0 0 1">
      <freejoint name="root"/>
      BOX
      <body name="leg" pos=".1 0 0">
        <joint name="hip" axis="0 1 0" armature=".02"/>
        ROD
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "free_object": """
<mujoco>
  <worldbody>
    <body name="arm">
      <joint name="j" axis="0 1 0"/>
      ROD
    </body>
    <body name="cube" pos="1 0 0">
      <joint name="free" type="free" damping=".1" armature=".02"/>
      BOX
    </body>
  </worldbody>
</mujoco>
""",
    "fixed_inside": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0"/>
      ROD
      <body name="flange" pos="0 0 .3" euler="0 0 45">
        BOX
        <body name="b" pos=".1 0 0">
          <joint name="j2" axis="1 0 0"/>
          ROD
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "classes": """
<mujoco>
  <default>
    <default class="c">
      <joint axis="0 1 0" pos=".05 0 0" armature=".1"/>
      <geom size=".1" pos=".1 0 0" quat="1 1 0 0" mass=".4"/>
      <default class="d">
        <joint axis="1 0 0" armature=".3"/>
        <geom type="box" size=".1 .2 .05" mass="2"/>
      </default>
    </default>
  </default>
  <worldbody>
    <body name="a" childclass="c">
      <joint name="j1"/>
      <geom class="d"/>
      <body name="b" pos=".2 0 0">
        <joint class="d" name="j2"/>
        <geom mass=".7"/>
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "inertial_beside_geoms": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      <inertial pos=".1 0 0" mass="2" diaginertia=".02 .03 .04" axisangle="1 2 3 40"/>
      <geom size=".3"/>
    </body>
  </worldbody>
</mujoco>
""",
    "inertia_from_geoms": """
<mujoco>
  <compiler inertiafromgeom="true"/>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      <inertial pos=".1 0 0" mass="2" diaginertia=".02 .03 .04"/>
      <geom size=".1" pos=".1 0 .2"/>
    </body>
  </worldbody>
</mujoco>
""",
    "inertia_groups": """
<mujoco>
  <compiler inertiagrouprange="0 2"/>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      <geom size=".1" pos=".1 0 .2" group="1"/>
      <geom size=".2" group="3"/>
    </body>
  </worldbody>
</mujoco>
""",
    "shell": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      <geom type="cylinder" size=".1 .2" pos=".1 0 .2" shellinertia="true" mass="1"/>
    </body>
  </worldbody>
</mujoco>
""",
    "bounds": """
<mujoco>
  <compiler boundmass=".1" boundinertia=".001"/>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      <inertial pos=".1 0 0" mass=".01" diaginertia="1e-6 1e-6 1e-6"/>
    </body>
  </worldbody>
</mujoco>
""",
    "balanced": """
<mujoco>
  <compiler balanceinertia="true"/>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      <inertial pos=".1 0 0" mass="1" diaginertia="1 1 5"/>
    </body>
  </worldbody>
</mujoco>
""",
    "total_mass": """
<mujoco>
  <compiler settotalmass="5"/>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      ROD
      <body name="b" pos=".2 0 0">
        <joint name="k"/>
        BOX
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "radians": """
<mujoco>
  <compiler angle="radian" eulerseq="ZYX"/>
  <worldbody>
    <body name="a" euler=".1 .2 .3">
      <joint name="j" axis="0 1 0" range="-1 2" ref=".3"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "slides_with_ref": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="s" type="slide" axis="1 2 0" ref=".1" range="-.2 .4" springref=".05" stiffness="7"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "springs": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0" stiffness="2 1 3" springref="20" ref="-10" damping=".4 .2 .1"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "armature_of_actuators": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0" armature=".1"/>
      ROD
    </body>
  </worldbody>
  <actuator>
    <motor joint="j" gear="-50" armature="1e-4" damping="1e-3"/>
  </actuator>
</mujoco>
""",
    "couplings": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0" ref="10"/>
      ROD
      <body name="b" pos="0 0 .3">
        <joint name="j2" axis="0 1 0" armature=".1" damping=".3" stiffness="1"/>
        ROD
        <body name="c" pos="0 0 .3">
          <joint name="j3" type="slide" axis="0 0 1"/>
          BOX
          <body name="d">
            <joint name="j4"/>
            BOX
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="j2" joint2="j1" polycoef=".1 -.7 0 0 0"/>
    <joint joint1="j3" joint2="j2" polycoef="0 .2 0 0 0"/>
    <joint joint1="j4" polycoef=".3 0 0 0 0"/>
  </equality>
</mujoco>
""",
    "inactive_loop": """
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0"/>
      ROD
    </body>
  </worldbody>
  <equality>
    <connect body1="a" anchor="0 0 .1" active="false"/>
  </equality>
</mujoco>
""",
    "gravity_compensation": """
<mujoco>
  <worldbody>
    <body name="a" gravcomp="1">
      <joint name="j1" axis="0 1 0"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "partial_gravity_compensation": """
<mujoco>
  <worldbody>
    <body name="a" gravcomp=".5" euler="20 0 0">
      <joint name="j1" axis="0 1 0" ref="5"/>
      ROD
      <body name="b" pos="0 0 .3">
        <joint name="s" type="slide" axis="1 0 1"/>
        <joint name="j2" axis="1 1 0"/>
        BOX
      </body>
    </body>
  </worldbody>
</mujoco>
""",
    "compensation_by_actuators": """
<mujoco>
  <worldbody>
    <body name="a" gravcomp=".5">
      <joint name="j1" axis="0 1 0" actuatorgravcomp="true"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "no_gravity": """
<mujoco>
  <option>
    <flag gravity="disable"/>
  </option>
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "names": """
<mujoco>
  <worldbody>
    <body name="left/arm &amp; &lt;hand&gt;">
      <joint name="left/j 1" axis="0 1 0" armature=".1" stiffness="1"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""",
    "mesh_modes": """
<mujoco>
  <asset>
    <mesh name="l" inertia="exact" vertex="0 0 0 .2 0 0 .2 .1 0 .1 .1 0 .1 .3 0 0 .3 0 0 0 .1 .2 0 .1 .2 .1 .1 .1 .1 .1 .1 .3 .1 0 .3 .1"/>
  </asset>
  <worldbody>
    <body name="a">
      <joint name="j" axis="0 1 0"/>
      <geom type="mesh" mesh="l"/>
    </body>
  </worldbody>
</mujoco>
""",
}

TAKEN = {name: text.strip().replace("BOX", BOX).replace("ROD", ROD) for name, text in TAKEN.items()}
