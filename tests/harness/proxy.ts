/** Real HTTP and SOCKS proxies; only they can resolve a test's host names. */
import { createServer as createHttpServer, request as httpRequest, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface FakeProxy extends AsyncDisposable {
  port: number
  /** `http://user:password@127.0.0.1:port`, with the login if it requires one. */
  url: string
  /** `host:port` of every requested connection, in order, accepted or not. */
  asked: string[]
  /** Open tunnels, and all that were ever opened. */
  tunnels: { open: number; all: number }
  /** From now on accepts connections and never answers. */
  silence(): void
}

export interface FakeProxyOptions {
  login?: { user: string; password: string }
  /** The local port behind `host:port`; undefined if unknown. A test's host names exist only here. */
  routes: (target: string) => number | undefined
  /** Connections to the proxy itself use TLS. */
  tls?: { key: string; cert: string }
  /** HTTP only: the status of its answer to CONNECT in place of the usual one. */
  status?: number
}

interface State {
  asked: string[]
  tunnels: { open: number; all: number }
  isSilent: boolean
  sockets: Set<Socket>
}

export async function fakeHttpProxy(options: FakeProxyOptions): Promise<FakeProxy> {
  const state = newState()
  const isIn = (sent: string | undefined) =>
    !options.login ||
    sent === `Basic ${Buffer.from(`${options.login.user}:${options.login.password}`).toString('base64')}`
  const forward: RequestListener = (request, response) => {
    if (state.isSilent) return
    const url = URL.parse(request.url ?? '')
    if (!url) return void response.writeHead(400).end()
    const target = `${url.hostname}:${url.port || 80}`
    state.asked.push(target)
    const { 'proxy-authorization': login, ...headers } = request.headers
    if (!isIn(login)) return void response.writeHead(407).end()
    const port = options.routes(target)
    if (port === undefined) return void response.writeHead(502).end()
    const path = url.pathname + url.search
    const onward = httpRequest({ host: '127.0.0.1', port, method: request.method, path, headers })
    onward.on('response', (reply) => {
      response.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }
  const server = options.tls ? createHttpsServer(options.tls, forward) : createHttpServer(forward)
  server.on('connect', (request, socket: Socket) => {
    socket.on('error', () => {})
    if (state.isSilent) return
    state.asked.push(request.url!)
    const refuse = (status: number): void =>
      void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    if (!isIn(request.headers['proxy-authorization'])) return refuse(407)
    const port = options.routes(request.url!)
    if (options.status !== undefined) return refuse(options.status)
    if (port === undefined) return refuse(502)
    join(socket, port, state, () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'))
  })
  return opened(server, options.tls ? 'https' : 'http', options, state)
}

export async function fakeSocksProxy(options: FakeProxyOptions): Promise<FakeProxy> {
  const state = newState()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (!state.isSilent) void speakSocks(socket, options, state).catch(() => socket.destroy())
  })
  return opened(server, 'socks5', options, state)
}

async function speakSocks(socket: Socket, options: FakeProxyOptions, state: State): Promise<void> {
  const take = reader(socket)
  const [version, count = 0] = await take(2)
  if (version !== 5) return void socket.destroy()
  const methods = [...(await take(count))]
  const method = options.login ? 2 : 0
  if (!methods.includes(method)) return void socket.end(Buffer.of(5, 255))
  socket.write(Buffer.of(5, method))
  if (options.login) {
    const user = (await take((await take(2))[1]!)).toString()
    const password = (await take((await take(1))[0]!)).toString()
    const isIn = user === options.login.user && password === options.login.password
    socket.write(Buffer.of(1, isIn ? 0 : 1))
    if (!isIn) return void socket.end()
  }
  const [, command, , kind] = await take(4)
  const host =
    kind === 1
      ? [...(await take(4))].join('.')
      : kind === 3
        ? (await take((await take(1))[0]!)).toString()
        : (await take(16)).toString('hex')
  const target = `${host}:${(await take(2)).readUInt16BE()}`
  state.asked.push(target)
  const port = command === 1 ? options.routes(target) : undefined
  const answer = (code: number) => socket.write(Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0))
  if (options.status !== undefined || port === undefined) {
    answer(options.status ?? 4)
    return void socket.end()
  }
  join(socket, port, state, () => answer(0))
}

/** Reads exactly this many bytes, however they are split. */
function reader(socket: Socket): (count: number) => Promise<Buffer> {
  return async (count) => {
    if (count === 0) return Buffer.alloc(0)
    for (;;) {
      const bytes = socket.read(count) as Buffer | null
      if (bytes) return bytes
      await new Promise<void>((resolve, reject) => {
        socket.once('readable', resolve)
        socket.once('close', () => reject(new Error('closed')))
      })
    }
  }
}

function join(socket: Socket, port: number, state: State, ready: () => void): void {
  const onward = connect({ host: '127.0.0.1', port }, () => {
    ready()
    state.tunnels.open += 1
    state.tunnels.all += 1
    socket.once('close', () => {
      state.tunnels.open -= 1
    })
    socket.pipe(onward)
    onward.pipe(socket)
  })
  onward.on('error', () => socket.destroy())
  onward.on('close', () => socket.destroy())
  socket.on('close', () => onward.destroy())
}

const newState = (): State => ({
  asked: [],
  tunnels: { open: 0, all: 0 },
  isSilent: false,
  sockets: new Set(),
})

async function opened(
  server: Server,
  protocol: string,
  options: FakeProxyOptions,
  state: State,
): Promise<FakeProxy> {
  server.on('connection', (socket: Socket) => {
    state.sockets.add(socket)
    socket.on('close', () => state.sockets.delete(socket))
  })
  const port = await listening(server)
  const login = options.login
    ? `${encodeURIComponent(options.login.user)}:${encodeURIComponent(options.login.password)}@`
    : ''
  const host = options.tls ? 'localhost' : '127.0.0.1'
  return {
    port,
    url: `${protocol}://${login}${host}:${port}`,
    asked: state.asked,
    tunnels: state.tunnels,
    silence: () => {
      state.isSilent = true
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of state.sockets) socket.destroy()
    },
  }
}

/** A TLS server in front of a local port, for upstreams that only speak plain HTTP. */
export async function tlsFront(
  tls: { key: string; cert: string },
  port: number,
): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>()
  const server = createTlsServer(tls, (socket) => {
    sockets.add(socket)
    const onward = connect({ host: '127.0.0.1', port })
    socket.pipe(onward)
    onward.pipe(socket)
    for (const [one, other] of [[socket, onward] as const, [onward, socket] as const]) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  return {
    port: await listening(server),
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
