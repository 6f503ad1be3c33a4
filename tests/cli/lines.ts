/** Servers that the command line meets: lines that break, and servers that answer what no Kherad does. */
import { once } from 'node:events'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes bytes on, but for the first connections, and breaks every connection when it is told to. */
export async function breakableLine(url: string, broken = 0) {
  const sockets = new Set<Socket>()
  let opened = 0
  const server = createServer((near) => {
    if (opened++ < broken) {
      near.on('error', () => undefined).destroy()
      return
    }
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        sockets.delete(socket)
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened: () => opened,
    breakAll: () => {
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const page = { 'content-type': 'text/html' }
const answers: Record<string, (reply: ServerResponse) => void> = {
  page: (reply) => reply.writeHead(200, page).end('<html>Welcome</html>'),
  elsewhere: (reply) => reply.writeHead(302, { ...page, location: 'http://127.0.0.1:9/' }).end(),
  empty: (reply) => reply.end('{}'),
  program: (reply) =>
    reply.end(
      JSON.stringify({
        outputs: [{ data: Buffer.from('#!/bin/sh\n').toString('base64'), mediaType: 'text/../../x.sh' }],
        execution: { model: 'x', requestId: 'x' },
      }),
    ),
  nothing: (reply) => reply.end('{"outputs":[null],"execution":{}}'),
  many: (reply) => {
    const output = { data: 'aGVsbG8gaGVsbG8gaGVsbG8=', mediaType: 'image/png' }
    reply.end(JSON.stringify({ outputs: Array(5).fill(output), execution: { model: 'x', requestId: 'x' } }))
  },
  controls: (reply) =>
    reply.writeHead(400).end(
      JSON.stringify({
        error: { code: 'X', message: 'no\u001b[2J\r\nsuch \u202ething', request_id: '1' },
      }),
    ),
  silent: () => undefined,
  endless: (reply) => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const more = () => {
      while (reply.write(piece));
    }
    reply.on('drain', more)
    more()
  },
}

/** Answers by the first word of the path; `seen` has the idempotency keys that came for each. */
export async function hostile() {
  const seen = new Map<string, string[]>()
  const server = createHttpServer((request, reply) => {
    const kind = request.url!.split('/')[1]!
    seen.set(kind, [...(seen.get(kind) ?? []), String(request.headers['idempotency-key'])])
    request.resume()
    answers[kind]!(reply)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
