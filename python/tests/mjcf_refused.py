"""Small MJCF models that Heft refuses, by name."""
from mjcf_models import BOX, ROD

#: refused: text, the element of the message, words
REFUSED = {
    "loop": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1" axis="0 1 0"/>
      ROD
    </body>
  </worldbody>
  <equality>
    <connect name="closes" body1="a" anchor="0 0 .1"/>
  </equality>
</mujoco>
""", 'connect name="closes"', "loop"),
    "polynomial": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1"/>
      ROD
    </body>
    <body name="b">
      <joint name="j2"/>
      ROD
    </body>
  </worldbody>
  <equality>
    <joint name="bent" joint1="j1" joint2="j2" polycoef="0 1 .2 0 0"/>
  </equality>
</mujoco>
""", 'joint name="bent"', "polycoef"),
    "muscle": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1"/>
      ROD
    </body>
  </worldbody>
  <actuator>
    <muscle name="biceps" joint="j1" lengthrange="0 1"/>
  </actuator>
</mujoco>
""", 'muscle name="biceps"', "muscle"),
    "tendon_drive": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1"/>
      ROD
    </body>
  </worldbody>
  <tendon>
    <fixed name="t">
      <joint joint="j1" coef="1"/>
    </fixed>
  </tendon>
  <actuator>
    <motor name="pull" tendon="t"/>
  </actuator>
</mujoco>
""", 'motor name="pull"', "tendon"),
    "tendon_spring": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j1"/>
      ROD
    </body>
  </worldbody>
  <tendon>
    <fixed name="t" stiffness="3">
      <joint joint="j1" coef="1"/>
    </fixed>
  </tendon>
</mujoco>
""", 'fixed name="t"', "stiffness"),
    "mocap": ("""
<mujoco>
  <worldbody>
    <body name="hand" mocap="true">
      BOX
    </body>
    <body name="a">
      <joint name="j1"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""", 'body name="hand"', "mocap"),
    "fluid": ("""
<mujoco>
  <option density="1000"/>
  <worldbody>
    <body name="a">
      <joint name="j1"/>
      ROD
    </body>
  </worldbody>
</mujoco>
""", 'option', "fluid"),
    "moving_base_with_armature": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="root" type="free" armature="1"/>
      BOX
    </body>
  </worldbody>
</mujoco>
""", 'joint name="root"', "armature"),
    "ball_spring": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="b" type="ball" stiffness="1"/>
      BOX
    </body>
  </worldbody>
</mujoco>
""", 'joint name="b"', "spring"),
    "no_joint": ("""
<mujoco>
  <worldbody>
    <body name="a">
      BOX
    </body>
  </worldbody>
</mujoco>
""", "", "no body has a joint"),
    "not_compiled": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j"/>
    </body>
  </worldbody>
</mujoco>
""", "", "cannot compile"),
    "duplicate": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j"/>
      BOX
    </body>
    <body name="a">
      BOX
    </body>
  </worldbody>
</mujoco>
""", "", "cannot compile"),
    "missing_mesh": ("""
<mujoco>
  <asset>
    <mesh file="no.stl"/>
  </asset>
  <worldbody>
    <body name="a">
      <joint name="j"/>
      BOX
    </body>
  </worldbody>
</mujoco>
""", "", "no.stl"),
    "newer": ("""
<mujoco>
  <worldbody>
    <body name="a">
      <joint name="j" warp="1"/>
      BOX
    </body>
  </worldbody>
</mujoco>
""", "", "warp"),
}

REFUSED = {name: (text.strip().replace("BOX", BOX).replace("ROD", ROD), *rest) for name, (text, *rest) in REFUSED.items()}
