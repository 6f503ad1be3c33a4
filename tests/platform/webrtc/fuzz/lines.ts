/** How datagrams reach the endpoint on the loopback: over UDP, or framed over TCP. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { FrameReader, frame } from '../../../../src/platform/webrtc/tcp-frames.ts'

export interface Line extends AsyncDisposable {
  readonly isClosed: boolean
  /** Sends a datagram. */
  send(datagram: Uint8Array): void
  /** Sends bytes as they are; over UDP they are a datagram. */
  write(bytes: Uint8Array): void
  /** Called for each datagram that came, and when the other side has closed the line. */
  received: (datagram: Buffer) => void
  closed: () => void
}

const address = '127.0.0.1'
const nothing = (): void => undefined

export async function openUdpLine(port: number): Promise<Line> {
  const socket = createSocket({ type: 'udp4', lookup: (host, _options, found) => found(null, host, 4) })
  const listening = once(socket, 'listening')
  socket.bind(0, address)
  await listening
  const write = (bytes: Uint8Array): void => {
    if (!line.isClosed) socket.send(bytes, port, address, nothing)
  }
  const line = {
    isClosed: false,
    send: write,
    write,
    received: (_datagram: Buffer): void => undefined,
    closed: nothing,
    async [Symbol.asyncDispose](): Promise<void> {
      if (line.isClosed) return
      line.isClosed = true
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('error', nothing)
  socket.on('message', (datagram) => line.received(datagram))
  return line
}

export async function openTcpLine(port: number): Promise<Line> {
  const socket = connect({ port, host: address, noDelay: true })
  socket.on('error', nothing)
  const reader = new FrameReader()
  const write = (bytes: Uint8Array): void => void (socket.writable && socket.write(bytes))
  const line = {
    isClosed: false,
    send: (datagram: Uint8Array): void => write(frame(Buffer.from(datagram))),
    write,
    received: (_datagram: Buffer): void => undefined,
    closed: nothing,
    async [Symbol.asyncDispose](): Promise<void> {
      if (socket.closed) return
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    },
  }
  socket.on('data', (bytes) => {
    reader.push(bytes)
    for (let next = reader.shift(); next !== undefined && next !== 'malformed'; next = reader.shift())
      line.received(next)
  })
  socket.on('end', () => socket.destroy())
  socket.on('close', () => {
    line.isClosed = true
    line.closed()
  })
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return line
}
