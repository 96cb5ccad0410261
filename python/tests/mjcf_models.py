"""Small MJCF models, each with constructs that readers get wrong; bench/mjcf/run.py compares them with MuJoCo, too."""

BOX = '<geom type="box" size=".1 .06 .03" pos=".05 .02 .01" euler="10 20 30"/>'
ROD = '<geom type="capsule" size=".04" fromto="0 0 0 .1 .05 .3"/>'


def model(body, rest="", head=""):
    return f"<mujoco>{head}<worldbody>{body}</worldbody>{rest}</mujoco>"


#: models that Heft takes
TAKEN = {
    "several_roots": model(f'<body name="a"><joint name="ja" axis="0 1 0"/>{BOX}</body><body name="b" pos="1 0 0"><joint name="jb"/>{ROD}</body>'),
    "rotated_base": model(f'<body name="base" pos="0 0 1" euler="90 20 0">{BOX}<body name="arm" pos=".1 0 0"><joint name="j" axis="0 1 1"/>{ROD}</body></body>'),
    "frames_and_replicate": model(f'<frame pos="0 .2 0" euler="0 30 0"><body name="a"><joint name="ja" axis="1 0 0"/>{ROD}</body></frame>'
                                  f'<replicate count="2" offset=".5 0 0"><body name="r"><joint name="jr" axis="0 1 0"/>{ROD}</body></replicate>'),
    "repeated_sections": "<mujoco><worldbody><body name='a'><joint name='ja' axis='0 1 0'/><geom size='.1' pos='.1 0 0'/></body></worldbody>"
                         "<option gravity='1 2 -9'/><worldbody><body name='b'><joint name='jb' axis='1 0 0'/><geom size='.1' pos='0 0 .2'/></body></worldbody></mujoco>",
    "unnamed": model(f"<body><joint axis='0 1 0'/>{ROD}<body pos='0 0 .3'><joint axis='1 0 0'/>{BOX}</body></body>"),
    "joints_in_one_body": model(f'<body name="base"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0" pos=".1 0 0"/>'
                                f'<joint name="turn" axis="0 0 1" pos=".2 .1 0"/>{BOX}<body name="arm" pos="0 0 .1"><joint name="j" axis="0 1 0"/>{ROD}</body></body>'),
    "ball": model(f'<body name="a"><joint name="ball" type="ball" damping=".2" armature=".03" pos=".1 0 0"/>{ROD}<body name="b" pos="0 0 .3"><joint name="j" axis="1 0 0"/>{BOX}</body></body>'),
    "free_base": model(f'<geom type="plane" size="1 1 1"/><body name="trunk" pos="0 0 1"><freejoint name="root"/>{BOX}<body name="leg" pos=".1 0 0"><joint name="hip" axis="0 1 0" armature=".02"/>{ROD}</body></body>'),
    "free_object": model(f'<body name="arm"><joint name="j" axis="0 1 0"/>{ROD}</body><body name="cube" pos="1 0 0"><joint name="free" type="free" damping=".1" armature=".02"/>{BOX}</body>'),
    "fixed_inside": model(f'<body name="a"><joint name="j1" axis="0 1 0"/>{ROD}<body name="flange" pos="0 0 .3" euler="0 0 45">{BOX}<body name="b" pos=".1 0 0"><joint name="j2" axis="1 0 0"/>{ROD}</body></body></body>'),
    "classes": model('<body name="a" childclass="c"><joint name="j1"/><geom class="d"/><body name="b" pos=".2 0 0"><joint class="d" name="j2"/><geom mass=".7"/></body></body>',
                     head='<default><default class="c"><joint axis="0 1 0" pos=".05 0 0" armature=".1"/><geom size=".1" pos=".1 0 0" quat="1 1 0 0" mass=".4"/>'
                          '<default class="d"><joint axis="1 0 0" armature=".3"/><geom type="box" size=".1 .2 .05" mass="2"/></default></default></default>'),
    "inertial_beside_geoms": model('<body name="a"><joint name="j" axis="0 1 0"/><inertial pos=".1 0 0" mass="2" diaginertia=".02 .03 .04" axisangle="1 2 3 40"/><geom size=".3"/></body>'),
    "inertia_from_geoms": model('<body name="a"><joint name="j" axis="0 1 0"/><inertial pos=".1 0 0" mass="2" diaginertia=".02 .03 .04"/><geom size=".1" pos=".1 0 .2"/></body>',
                                head='<compiler inertiafromgeom="true"/>'),
    "inertia_groups": model('<body name="a"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".1 0 .2" group="1"/><geom size=".2" group="3"/></body>',
                            head='<compiler inertiagrouprange="0 2"/>'),
    "shell": model('<body name="a"><joint name="j" axis="0 1 0"/><geom type="cylinder" size=".1 .2" pos=".1 0 .2" shellinertia="true" mass="1"/></body>'),
    "bounds": model('<body name="a"><joint name="j" axis="0 1 0"/><inertial pos=".1 0 0" mass=".01" diaginertia="1e-6 1e-6 1e-6"/></body>',
                    head='<compiler boundmass=".1" boundinertia=".001"/>'),
    "balanced": model('<body name="a"><joint name="j" axis="0 1 0"/><inertial pos=".1 0 0" mass="1" diaginertia="1 1 5"/></body>', head='<compiler balanceinertia="true"/>'),
    "total_mass": model(f'<body name="a"><joint name="j" axis="0 1 0"/>{ROD}<body name="b" pos=".2 0 0"><joint name="k"/>{BOX}</body></body>', head='<compiler settotalmass="5"/>'),
    "radians": model(f'<body name="a" euler=".1 .2 .3"><joint name="j" axis="0 1 0" range="-1 2" ref=".3"/>{ROD}</body>', head='<compiler angle="radian" eulerseq="ZYX"/>'),
    "slides_with_ref": model(f'<body name="a"><joint name="s" type="slide" axis="1 2 0" ref=".1" range="-.2 .4" springref=".05" stiffness="7"/>{ROD}</body>'),
    "springs": model(f'<body name="a"><joint name="j" axis="0 1 0" stiffness="2 1 3" springref="20" ref="-10" damping=".4 .2 .1"/>{ROD}</body>'),
    "armature_of_actuators": model(f'<body name="a"><joint name="j" axis="0 1 0" armature=".1"/>{ROD}</body>',
                                   '<actuator><motor joint="j" gear="-50" armature="1e-4" damping="1e-3"/></actuator>'),
    "couplings": model(f'<body name="a"><joint name="j1" axis="0 1 0" ref="10"/>{ROD}<body name="b" pos="0 0 .3"><joint name="j2" axis="0 1 0" armature=".1" damping=".3" stiffness="1"/>{ROD}'
                       f'<body name="c" pos="0 0 .3"><joint name="j3" type="slide" axis="0 0 1"/>{BOX}<body name="d"><joint name="j4"/>{BOX}</body></body></body></body>',
                       '<equality><joint joint1="j2" joint2="j1" polycoef=".1 -.7 0 0 0"/><joint joint1="j3" joint2="j2" polycoef="0 .2 0 0 0"/><joint joint1="j4" polycoef=".3 0 0 0 0"/></equality>'),
    "inactive_loop": model(f'<body name="a"><joint name="j1" axis="0 1 0"/>{ROD}</body>', '<equality><connect body1="a" anchor="0 0 .1" active="false"/></equality>'),
    "gravity_compensation": model(f'<body name="a" gravcomp="1"><joint name="j1" axis="0 1 0"/>{ROD}</body>'),
    "partial_gravity_compensation": model(f'<body name="a" gravcomp=".5" euler="20 0 0"><joint name="j1" axis="0 1 0" ref="5"/>{ROD}<body name="b" pos="0 0 .3"><joint name="s" type="slide" axis="1 0 1"/>'
                                          f'<joint name="j2" axis="1 1 0"/>{BOX}</body></body>'),
    "compensation_by_actuators": model(f'<body name="a" gravcomp=".5"><joint name="j1" axis="0 1 0" actuatorgravcomp="true"/>{ROD}</body>'),
    "no_gravity": model(f'<body name="a"><joint name="j1" axis="0 1 0"/>{ROD}</body>', head='<option><flag gravity="disable"/></option>'),
    "names": model(f'<body name="left/arm &amp; &lt;hand&gt;"><joint name="left/j 1" axis="0 1 0" armature=".1" stiffness="1"/>{ROD}</body>'),
    "mesh_modes": model('<body name="a"><joint name="j" axis="0 1 0"/><geom type="mesh" mesh="l"/></body>',
                        head='<asset><mesh name="l" inertia="exact" vertex="0 0 0 .2 0 0 .2 .1 0 .1 .1 0 .1 .3 0 0 .3 0 0 0 .1 .2 0 .1 .2 .1 .1 .1 .1 .1 .1 .3 .1 0 .3 .1"/></asset>'),
}

#: refused: text, the element of the message, words
REFUSED = {
    "loop": (model(f'<body name="a"><joint name="j1" axis="0 1 0"/>{ROD}</body>', '\n<equality><connect name="closes" body1="a" anchor="0 0 .1"/></equality>'), 'connect name="closes"', "loop"),
    "polynomial": (model(f'<body name="a"><joint name="j1"/>{ROD}</body><body name="b"><joint name="j2"/>{ROD}</body>',
                         '\n<equality><joint name="bent" joint1="j1" joint2="j2" polycoef="0 1 .2 0 0"/></equality>'), 'joint name="bent"', "polycoef"),
    "muscle": (model(f'<body name="a"><joint name="j1"/>{ROD}</body>', '\n<actuator><muscle name="biceps" joint="j1" lengthrange="0 1"/></actuator>'), 'muscle name="biceps"', "muscle"),
    "tendon_drive": (model(f'<body name="a"><joint name="j1"/>{ROD}</body>', '<tendon><fixed name="t"><joint joint="j1" coef="1"/></fixed></tendon>\n<actuator><motor name="pull" tendon="t"/></actuator>'),
                     'motor name="pull"', "tendon"),
    "tendon_spring": (model(f'<body name="a"><joint name="j1"/>{ROD}</body>', '\n<tendon><fixed name="t" stiffness="3"><joint joint="j1" coef="1"/></fixed></tendon>'), 'fixed name="t"', "stiffness"),
    "mocap": (model(f'\n<body name="hand" mocap="true">{BOX}</body><body name="a"><joint name="j1"/>{ROD}</body>'), 'body name="hand"', "mocap"),
    "fluid": (model(f'<body name="a"><joint name="j1"/>{ROD}</body>', head='\n<option density="1000"/>'), "option", "fluid"),
    "moving_base_with_armature": (model(f'\n<body name="a"><joint name="root" type="free" armature="1"/>{BOX}</body>'), 'joint name="root"', "armature"),
    "ball_spring": (model(f'\n<body name="a"><joint name="b" type="ball" stiffness="1"/>{BOX}</body>'), 'joint name="b"', "spring"),
    "no_joint": (model(f'<body name="a">{BOX}</body>'), "", "no body has a joint"),
    "not_compiled": (model('\n<body name="a"><joint name="j"/></body>'), "", "cannot compile"),
    "duplicate": (model(f'<body name="a"><joint name="j"/>{BOX}</body><body name="a">{BOX}</body>'), "", "cannot compile"),
    "missing_mesh": (model(f'<body name="a"><joint name="j"/>{BOX}</body>', head='<asset><mesh file="no.stl"/></asset>'), "", "no.stl"),
    "newer": (model(f'<body name="a"><joint name="j" warp="1"/>{BOX}</body>'), "", "warp"),
}
