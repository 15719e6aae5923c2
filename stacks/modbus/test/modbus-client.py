# A client of pymodbus for the tests: a provider's port, then requests, each answered by a line.
#   identify CODE OBJECT, id, diagnose SUBFUNCTION DATA, write-read WRITE-START VALUE,… READ-START COUNT, read START COUNT,
#   write START VALUE,…
# With TLS where the variables CA, CERT and KEY name files.
import os
import ssl
import sys
import types

# Only serial lines need these, and Debian does not install them along.
sys.modules.setdefault("serial", types.SimpleNamespace())
sys.modules.setdefault("serial_asyncio", types.SimpleNamespace(create_serial_connection=None))

from pymodbus.client import ModbusTcpClient, ModbusTlsClient
from pymodbus.diag_message import (
    ReturnBusCommunicationErrorCountRequest,
    ReturnBusMessageCountRequest,
    ReturnQueryDataRequest,
)
from pymodbus.mei_message import ReadDeviceInformationRequest
from pymodbus.other_message import ReportSlaveIdRequest
from pymodbus.register_read_message import ReadWriteMultipleRegistersRequest
from pymodbus.transaction import ModbusSocketFramer

DIAGNOSTICS = {
    0: ReturnQueryDataRequest,
    11: ReturnBusMessageCountRequest,
    12: ReturnBusCommunicationErrorCountRequest,
}


class TlsClient(ModbusTlsClient):
    # That of pymodbus waits for the socket, though the rest of an answer is decrypted already.
    def recv(self, size):
        self.socket.settimeout(3)
        came = b""
        while len(came) < (size or 1):
            chunk = self.socket.recv((size or 4096) - len(came))
            if not chunk:
                break
            came += chunk
        return came


def make_client(port):
    if "CA" not in os.environ:
        return ModbusTcpClient("127.0.0.1", port=port)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(os.environ["CA"])
    if "CERT" in os.environ:
        context.load_cert_chain(os.environ["CERT"], os.environ["KEY"])
    return TlsClient(
        "127.0.0.1", port=port, framer=ModbusSocketFramer, sslctx=context, server_hostname="localhost"
    )


def words(text):
    return [int(each) for each in text.split(",")]


def ask(client, word, *args):
    if word == "identify":
        code, object_id = int(args[0]), int(args[1])
        answer = client.execute(ReadDeviceInformationRequest(code, object_id, unit=1))
        if answer.isError():
            return str(answer)
        return "; ".join("%d %s" % (key, value.decode()) for key, value in sorted(answer.information.items()))
    if word == "id":
        answer = client.execute(ReportSlaveIdRequest(unit=1))
        return str(answer) if answer.isError() else answer.identifier.hex()
    if word == "diagnose":
        answer = client.execute(DIAGNOSTICS[int(args[0])](int(args[1]), unit=1))
        return str(answer) if answer.isError() else str(answer.message)
    if word == "write-read":
        request = ReadWriteMultipleRegistersRequest(
            write_address=int(args[0]),
            write_registers=words(args[1]),
            read_address=int(args[2]),
            read_count=int(args[3]),
            unit=1,
        )
        answer = client.execute(request)
        return str(answer) if answer.isError() else ",".join(str(each) for each in answer.registers)
    if word == "read":
        answer = client.read_holding_registers(int(args[0]), int(args[1]), slave=1)
        return str(answer) if answer.isError() else ",".join(str(each) for each in answer.registers)
    assert word == "write"
    answer = client.write_registers(int(args[0]), words(args[1]), slave=1)
    return str(answer) if answer.isError() else "ok"


def main():
    client = make_client(int(sys.argv[1]))
    if not client.connect():
        sys.exit("cannot connect")
    for each in sys.argv[2:]:
        print(ask(client, *each.split()), flush=True)
    client.close()


main()
