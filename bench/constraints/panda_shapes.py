"""The Panda of the real log with the shapes of its maker: collision meshes of the PyPI package example-robot-data.

Frames are the same (modified Denavit-Hartenberg) in both robot files, links have other names.
"""

import pathlib
import re
import sys


def meshes():
    """Folder of link1.stl to link7.stl; None if the package is not installed."""
    for folder in sys.path:
        path = pathlib.Path(folder) / "cmeel.prefix/share/example-robot-data/robots/panda_description/meshes/collision"
        if path.is_dir():
            return path
    return None


def with_shapes(urdf, folder):
    """The text of a URDF whose links link_1 to link_7 have their collision meshes of `folder`."""
    for k in range(1, 8):
        shape = f'<collision><geometry><mesh filename="file://{folder}/link{k}.stl"/></geometry></collision>'
        urdf = re.sub(rf'(<link name="link_{k}">.*?)(</link>)', rf"\g<1>{shape}\g<2>", urdf, count=1, flags=re.DOTALL)
    return urdf
