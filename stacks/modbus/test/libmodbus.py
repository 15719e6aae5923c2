# A client and a device of libmodbus, the C library, by way of ctypes.
#   client PORT UNIT CALL…    carries out the calls over one connection and prints a line for each:
#       read AREA START COUNT, write START VALUE,…, write-one START VALUE, coil START VALUE, coils START VALUE,…,
#       mask START AND OR, write-read WRITE-START VALUE,… READ-START COUNT, id
#   device PORT               has 2000 places in each area, for any unit
import ctypes
import os
import select
import socket
import sys

PLACES = 2000
lib = ctypes.CDLL("libmodbus.so.5", use_errno=True)
lib.modbus_new_tcp.restype = ctypes.c_void_p
lib.modbus_strerror.restype = ctypes.c_char_p
lib.modbus_mapping_new.restype = ctypes.c_void_p


def words(text):
    values = [int(each, 0) for each in text.split(",")]
    return len(values), (ctypes.c_uint16 * len(values))(*values)


def octets(text):
    values = [int(each, 0) for each in text.split(",")]
    return len(values), (ctypes.c_uint8 * len(values))(*values)


def call(context, word, *args):
    if word == "read":
        area, start, count = args[0], int(args[1]), int(args[2])
        kind = ctypes.c_uint8 if area in ("co", "di") else ctypes.c_uint16
        into = (kind * count)()
        read = {
            "co": lib.modbus_read_bits,
            "di": lib.modbus_read_input_bits,
            "hr": lib.modbus_read_registers,
            "ir": lib.modbus_read_input_registers,
        }[area]
        return read(context, start, count, into), lambda: ",".join(str(each) for each in into)
    if word == "write":
        count, values = words(args[1])
        return lib.modbus_write_registers(context, int(args[0]), count, values), lambda: "ok"
    if word == "write-one":
        return lib.modbus_write_register(context, int(args[0]), ctypes.c_uint16(int(args[1]))), lambda: "ok"
    if word == "coil":
        return lib.modbus_write_bit(context, int(args[0]), int(args[1])), lambda: "ok"
    if word == "coils":
        count, values = octets(args[1])
        return lib.modbus_write_bits(context, int(args[0]), count, values), lambda: "ok"
    if word == "mask":
        values = [ctypes.c_uint16(int(each, 0)) for each in args[1:3]]
        return lib.modbus_mask_write_register(context, int(args[0]), *values), lambda: "ok"
    if word == "write-read":
        count, values = words(args[1])
        into = (ctypes.c_uint16 * int(args[3]))()
        done = lib.modbus_write_and_read_registers(
            context, int(args[0]), count, values, int(args[2]), int(args[3]), into
        )
        return done, lambda: ",".join(str(each) for each in into)
    assert word == "id"
    into = (ctypes.c_uint8 * 260)()
    done = lib.modbus_report_slave_id(context, 260, into)
    return done, lambda: bytes(into[:done]).hex()


def client(port, unit, *calls):
    context = ctypes.c_void_p(lib.modbus_new_tcp(b"127.0.0.1", int(port)))
    lib.modbus_set_slave(context, int(unit))
    if lib.modbus_connect(context) != 0:
        sys.exit("cannot connect: " + os.strerror(ctypes.get_errno()))
    for each in calls:
        done, shown = call(context, *each.split())
        print(shown() if done >= 0 else lib.modbus_strerror(ctypes.get_errno()).decode(), flush=True)
    lib.modbus_close(context)


def device(port):
    context = ctypes.c_void_p(lib.modbus_new_tcp(b"127.0.0.1", int(port)))
    mapping = ctypes.c_void_p(lib.modbus_mapping_new(PLACES, PLACES, PLACES, PLACES))
    listener = socket.create_server(("127.0.0.1", int(port)))
    connections = []
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([listener, *connections], [], [])
        for each in readable:
            if each is listener:
                connections.append(listener.accept()[0])
                continue
            lib.modbus_set_socket(context, each.fileno())
            query = (ctypes.c_uint8 * 260)()
            length = lib.modbus_receive(context, query)
            if length > 0:
                lib.modbus_reply(context, query, length, mapping)
            elif length < 0:
                connections.remove(each)
                each.close()


{"client": client, "device": device}[sys.argv[1]](*sys.argv[2:])
