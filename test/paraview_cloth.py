"""ParaView finds the triangles of client_cloth.sh, with their strain, energy and bend, and saturation of vertices.

pvpython paraview_cloth.py DIR
"""
import sys

from paraview import servermanager
from paraview.simple import PVDReader, XDMFReader, Xdmf3ReaderS, Xdmf3ReaderT

folder = sys.argv[1]
failures = []


def check(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {got}, wanted {wanted}")


def total(array):
    return sum(array.GetTuple1(k) for k in range(array.GetNumberOfTuples()))


def check_reader(name, reader, points, cells):
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    check(f"{name}: times", [round(t, 9) for t in times], [0, 0.1, 0.2, 0.3])
    reader.UpdatePipeline(times[-1])
    data = servermanager.Fetch(reader)
    check(f"{name}: points", data.GetNumberOfPoints(), points)
    check(f"{name}: triangles", data.GetNumberOfCells(), cells)
    arrays = data.GetCellData()
    for column, components in (("strain", 3), ("energy", 1), ("bend", 1)):
        array = arrays.GetArray(column)
        if array is None:
            failures.append(f"{name}: no {column}")
            continue
        check(f"{name}: components of {column}", array.GetNumberOfComponents(), components)
        check(f"{name}: rows of {column}", array.GetNumberOfTuples(), cells)
    wet = data.GetPointData().GetArray("saturation")
    check(f"{name}: saturation", wet and (wet.GetNumberOfTuples(), wet.GetRange()), (points, (0, 0)))
    check(f"{name}: it is bent", arrays.GetArray("bend").GetRange()[1] > 0.05, True)
    check(f"{name}: it hangs", data.GetBounds()[4] < -0.1, True)
    return total(arrays.GetArray("energy"))


energy = check_reader("vtp", PVDReader(FileName=folder + "/vtp-skin/frames.pvd"), 81, 128)
index = folder + "/cloth.xdmf"
for name, reader in (("old reader", XDMFReader(FileNames=[index])), ("reader S", Xdmf3ReaderS(FileName=[index])),
                     ("reader T", Xdmf3ReaderT(FileName=[index]))):
    own = check_reader(f"cloth.xdmf, {name}", reader, 25, 32)
    # each of four parts has the value of its triangle
    check(f"{name}: energy", abs(4 * own - energy) < 1e-5 * energy, True)
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
