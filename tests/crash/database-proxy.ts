/** Stands between a server and its PostgreSQL, and misbehaves on request. Bytes pass as they are. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'

export interface DatabaseProxy extends AsyncDisposable {
  /** The address of the database through the proxy. */
  url: string
  /**
   * The next statement whose bytes match reaches PostgreSQL and is carried out, but its reply is lost with the connection.
   * Resolves when it was lost.
   */
  loseReply(to: RegExp): Promise<void>
  /** The next statement whose bytes match is carried out, and its reply held back for ever. Resolves when it would have come. */
  withholdReply(to: RegExp): Promise<void>
  /** Breaks every connection and refuses new ones, until `back`. */
  away(): void
  /** Every connection, and each new one until `back`, swallows what it is given and stays open without a word, for good. */
  swallow(): void
  back(): void
}

interface Trap {
  pattern: RegExp
  then: 'lose' | 'withhold'
  sprung: () => void
}

export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const pairs = new Set<{ near: Socket; far: Socket; swallows: boolean }>()
  let trap: Trap | undefined
  let refusing = false
  let swallowing = false

  const server = createServer((near) => {
    if (refusing) {
      near.destroy()
      return
    }
    const far = connect(targetOf(databaseUrl))
    const pair = { near, far, swallows: swallowing }
    pairs.add(pair)
    let caught: Trap | undefined
    near.on('data', (bytes) => {
      if (pair.swallows) return
      if (trap?.pattern.test(bytes.toString('latin1'))) {
        caught = trap
        trap = undefined
      }
      far.write(bytes)
    })
    far.on('data', (bytes) => {
      if (pair.swallows) return
      if (!caught) {
        near.write(bytes)
        return
      }
      // "Ready for query": what was asked is done and committed.
      if (!bytes.subarray(-6).equals(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))) return
      if (caught.then === 'lose') near.destroy()
      caught.sprung()
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const set = (pattern: RegExp, then: Trap['then']): Promise<void> =>
    new Promise((sprung) => {
      trap = { pattern, then, sprung }
    })
  const cutAll = (): void => {
    for (const { near, far } of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  return {
    url: throughPort(databaseUrl, (server.address() as { port: number }).port),
    loseReply: (to) => set(to, 'lose'),
    withholdReply: (to) => set(to, 'withhold'),
    away() {
      refusing = true
      cutAll()
    },
    swallow() {
      swallowing = true
      for (const pair of pairs) pair.swallows = true
    },
    back() {
      refusing = false
      swallowing = false
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
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
