/** Stands between a server and its PostgreSQL, and misbehaves on request. Bytes pass as they are. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'

interface Trap {
  pattern: RegExp
  /** What its connection asked before, in the same transaction; a server has more of them beside each other. */
  after: string
  then: 'lose' | 'withhold'
  sprung: () => void
}

/** A connection of the server, and the one to PostgreSQL behind it. */
interface Pair {
  near: Socket
  far: Socket
  swallows: boolean
  /** What its next reply is to fall into. */
  caught?: Trap | undefined
  /** What it was asked since its transaction began. */
  asked: string
}

const maxAsked = 1_000_000

export class DatabaseProxy {
  readonly #databaseUrl: string
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #trap: Trap | undefined
  #refuses = false
  #swallows = false

  private constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl
    this.#server = createServer((near) => this.#accept(near))
  }

  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(databaseUrl)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** The address of the database through the proxy. */
  get url(): string {
    return throughPort(this.#databaseUrl, (this.#server.address() as AddressInfo).port)
  }

  /**
   * The next statement whose bytes match reaches PostgreSQL and is carried out, but its reply is lost with the connection.
   * Resolves when it was lost.
   */
  loseReply(to: RegExp): Promise<void> {
    return this.#set(to, 'lose')
  }

  /**
   * The next statement whose bytes match, in a transaction that has `after` where one is named, is carried out, and its reply held back for ever. Resolves when it
   * would have come.
   */
  withholdReply(to: RegExp, after?: string): Promise<void> {
    return this.#set(to, 'withhold', after)
  }

  /** Breaks every connection and refuses new ones, until `back`. */
  away(): void {
    this.#refuses = true
    this.#cutAll()
  }

  /** Every connection, and each new one until `back`, swallows what it is given and stays open without a word, for good. */
  swallow(): void {
    this.#swallows = true
    for (const pair of this.#pairs) pair.swallows = true
  }

  back(): void {
    this.#refuses = false
    this.#swallows = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cutAll()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #set(pattern: RegExp, then: Trap['then'], after = ''): Promise<void> {
    return new Promise((sprung) => {
      this.#trap = { pattern, after, then, sprung }
    })
  }

  #accept(near: Socket): void {
    if (this.#refuses) return void near.destroy()
    const far = connect(targetOf(this.#databaseUrl))
    const pair: Pair = { near, far, swallows: this.#swallows, asked: '' }
    this.#pairs.add(pair)
    near.on('data', (bytes) => this.#ask(pair, bytes))
    far.on('data', (bytes) => answer(pair, bytes))
    this.#endTogether(pair, near, far)
    this.#endTogether(pair, far, near)
  }

  #ask(pair: Pair, bytes: Buffer): void {
    if (pair.swallows) return
    const text = bytes.toString('latin1')
    pair.asked = /\bbegin\b|\bstart transaction\b/.test(text) ? text : (pair.asked + text).slice(-maxAsked)
    const trap = this.#trap
    if (trap?.pattern.test(text) && pair.asked.includes(trap.after)) {
      pair.caught = trap
      this.#trap = undefined
    }
    pair.far.write(bytes)
  }

  #endTogether(pair: Pair, one: Socket, other: Socket): void {
    one.on('error', () => other.destroy())
    one.on('close', () => {
      other.destroy()
      this.#pairs.delete(pair)
    })
  }

  #cutAll(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }
}

/** "Ready for query": what was asked is done and committed. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

function answer({ near, swallows, caught }: Pair, bytes: Buffer): void {
  if (swallows) return
  if (!caught) return void near.write(bytes)
  if (!bytes.subarray(-6).equals(readyForQuery)) return
  if (caught.then === 'lose') near.destroy()
  caught.sprung()
}

/** Where PostgreSQL listens: a socket's folder in the parameter `host`, or host and port of the address. */
function targetOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const url = new URL(databaseUrl)
  const port = Number(url.port || 5432)
  const host = url.searchParams.get('host') ?? url.hostname
  return host.startsWith('/') ? { path: path.join(host, `.s.PGSQL.${port}`) } : { host, port }
}

function throughPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.searchParams.set('sslmode', 'disable')
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
