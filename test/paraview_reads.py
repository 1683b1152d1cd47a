"""ParaView finds counts, cells, times and columns in what store_sample made.

pvpython paraview_reads.py DIR
"""
import math
import sys

from paraview import servermanager
from paraview.simple import PVDReader, XDMFReader, Xdmf3ReaderS, Xdmf3ReaderT

COMPONENTS = {
    "id": 1, "velocity": 3, "density": 1, "energy": 1, "material": 1, "charge": 1, "kind": 1,
    "pair": 2, "stress": 6, "gradient": 9,
}
SURFACE_COMPONENTS = {"normal": 3, "colour": 3, "velocity": 3, "temperature": 1}
FIRST_ID = 2 ** 40
failures = []


def check(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {got}, wanted {wanted}")


def check_frame(name, number, data):
    where = f"{name}, frame {number}"
    rows = 1000 * (number - 1)
    check(f"{where}: points", data.GetNumberOfPoints(), rows)
    check(f"{where}: cells", data.GetNumberOfCells(), rows)
    if rows == 0:
        return
    arrays = data.GetPointData()
    for column, components in COMPONENTS.items():
        array = arrays.GetArray(column)
        if array is None:
            failures.append(f"{where}: no {column}")
            continue
        check(f"{where}: components of {column}", array.GetNumberOfComponents(), components)
        check(f"{where}: rows of {column}", array.GetNumberOfTuples(), rows)
    for row in (0, rows - 1):
        check(f"{where}: id of {row}", arrays.GetArray("id").GetTuple1(row), FIRST_ID + row)
        check(f"{where}: charge of {row}", arrays.GetArray("charge").GetTuple1(row), -row)
        check(f"{where}: material of {row}", arrays.GetArray("material").GetTuple1(row), row % 3)
        check(f"{where}: vertex of cell {row}", data.GetCell(row).GetPointId(0), row)
        # a random number in [k, k + 1) for component k
        point = data.GetPoint(row)
        check(f"{where}: point {row}", [math.floor(x) for x in point], [0, 1, 2])


def check_surface(name, number, data):
    where = f"{name}, frame {number}"
    side = 10 * (number - 1)
    cells = max(side - 1, 0)
    check(f"{where}: points", data.GetNumberOfPoints(), side * side)
    check(f"{where}: cells", data.GetNumberOfCells(), 2 * cells * cells)
    if side == 0:
        return
    arrays = data.GetPointData()
    for column, components in SURFACE_COMPONENTS.items():
        array = arrays.GetArray(column)
        if array is None:
            failures.append(f"{where}: no {column}")
            continue
        check(f"{where}: components of {column}", array.GetNumberOfComponents(), components)
    i, j = 3, 5
    row = j * side + i
    check(f"{where}: normals", arrays.GetNormals().GetTuple3(row), (0, 1, 0))
    check(f"{where}: velocity", arrays.GetArray("velocity").GetTuple3(row), (number, i, j))
    check(f"{where}: colour", arrays.GetArray("colour").GetTuple3(row), (i, j, number))
    check(f"{where}: temperature", arrays.GetArray("temperature").GetTuple1(row), 20 + number)
    check(f"{where}: triangle", [data.GetCell(0).GetPointId(k) for k in range(3)], [1, 0, side])
    low, high = data.GetBounds()[0::2], data.GetBounds()[1::2]
    wanted = (0, 0.1 * number, 0), (1 - 1 / side, 0.1 * number, 1 - 1 / side)
    for got, want in zip(low + high, wanted[0] + wanted[1]):
        if abs(got - want) > 1e-6:
            failures.append(f"{where}: bounds {low} {high}, wanted {wanted}")


def check_reader(name, reader, check_frame=check_frame):
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    check(f"{name}: times", times, [number / 30.0 for number in range(1, 5)])
    for number, time in enumerate(times, 1):
        reader.UpdatePipeline(time)
        check_frame(name, number, servermanager.Fetch(reader))


folder = sys.argv[1]
check_reader("frames.pvd", PVDReader(FileName=folder + "/vtp/frames.pvd"))
check_reader("frames.pvd of surfaces", PVDReader(FileName=folder + "/vtp-surface/frames.pvd"),
             check_surface)
check_reader("frames.xdmf, old reader", XDMFReader(FileNames=[folder + "/frames.xdmf"]))
check_reader("frames.xdmf, reader S", Xdmf3ReaderS(FileName=[folder + "/frames.xdmf"]))
check_reader("frames.xdmf, reader T", Xdmf3ReaderT(FileName=[folder + "/frames.xdmf"]))
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
