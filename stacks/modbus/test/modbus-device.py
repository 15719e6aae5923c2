# A Modbus device of pymodbus for the tests. Arguments: tcp, tls, rtu-tcp or serial; its TCP port (serial: unused, it makes a
# pair of pseudo-terminals and is behind one of them); the TCP port at which it is told what to have; units with commas.
# Each area of each unit has 2000 places. Told by lines, "set UNIT AREA START VALUE,…" or "get UNIT AREA START COUNT", in
# hexadecimal, answered by a line each. With tls, the variables CA, CERT and KEY name files.
import asyncio
import os
import select
import ssl
import sys
import threading
import tty

from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.server.async_io import StartAsyncSerialServer, StartAsyncTcpServer, StartAsyncTlsServer
from pymodbus.transaction import ModbusRtuFramer, ModbusSocketFramer

AREAS = {"co": 1, "di": 2, "hr": 3, "ir": 4}
PLACES = 2000


def make_unit():
    def block():
        return ModbusSequentialDataBlock(0, [0] * PLACES)

    return ModbusSlaveContext(di=block(), co=block(), hr=block(), ir=block(), zero_mode=True)


def carry_out(units, line):
    word, unit, area, start, rest = line.split()
    store, code = units[int(unit)], AREAS[area]
    if word == "set":
        store.setValues(code, int(start), [int(each, 16) for each in rest.split(",")])
        return "ok"
    return ",".join("%x" % int(each) for each in store.getValues(code, int(start), int(rest)))


async def listen(units, port):
    async def serve(reader, writer):
        while True:
            line = await reader.readline()
            if not line:
                break
            writer.write((carry_out(units, line.decode()) + "\n").encode())
        writer.close()

    await asyncio.start_server(serve, "127.0.0.1", port)


def make_line():
    """Two pseudo-terminals, and what is written to one is read from the other. Returns their paths."""
    pairs = [os.openpty(), os.openpty()]
    masters = [master for master, _ in pairs]
    for _, slave in pairs:
        tty.setraw(slave)

    def relay():
        while True:
            readable, _, _ = select.select(masters, [], [])
            for master in readable:
                other = masters[1 - masters.index(master)]
                os.write(other, os.read(master, 4096))

    threading.Thread(target=relay, daemon=True).start()
    return [os.ttyname(slave) for _, slave in pairs]


async def main():
    kind, port, control_port, names = sys.argv[1:5]
    units = {int(each): make_unit() for each in names.split(",")}
    context = ModbusServerContext(slaves=units, single=False)
    await listen(units, int(control_port))
    if kind == "serial":
        near, far = make_line()
        server = await StartAsyncSerialServer(
            context=context,
            framer=ModbusRtuFramer,
            port=far,
            baudrate=115200,
            ignore_missing_slaves=True,
            defer_start=True,
        )
        await server.start()
        print("ready at " + near, flush=True)
        await server.serve_forever()
    elif kind == "tls":
        security = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        security.load_cert_chain(os.environ["CERT"], os.environ["KEY"])
        security.load_verify_locations(os.environ["CA"])
        security.verify_mode = ssl.CERT_REQUIRED
        server = StartAsyncTlsServer(
            context=context,
            framer=ModbusSocketFramer,
            address=("127.0.0.1", int(port)),
            sslctx=security,
            reqclicert=True,
            ignore_missing_slaves=True,
            allow_reuse_address=True,
        )
        print("ready at " + port, flush=True)
        await server
    else:
        framer = ModbusSocketFramer if kind == "tcp" else ModbusRtuFramer
        server = StartAsyncTcpServer(
            context=context,
            framer=framer,
            address=("127.0.0.1", int(port)),
            ignore_missing_slaves=True,
            allow_reuse_address=True,
        )
        print("ready at " + port, flush=True)
        await server


asyncio.run(main())
