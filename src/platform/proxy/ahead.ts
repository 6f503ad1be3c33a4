import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** Opens connections as another connector does, and at most one ahead: the next request takes it, even while it is being opened. */
export class AheadConnector implements Disposable {
  readonly #open: buildConnector.connector
  #ahead: Ahead | undefined
  #isClosed = false

  constructor(open: buildConnector.connector) {
    this.#open = open
  }

  readonly connect: buildConnector.connector = (options, done) => {
    const ahead = this.#ahead
    this.#ahead = undefined
    if (!ahead) return this.#open(options, done)
    void ahead.take().then((socket) => {
      if (socket) done(null, socket)
      else this.#open(options, done)
    })
  }

  /** Resolves once a connection is open, or could not be opened. Never rejects. */
  async openAhead(options: buildConnector.Options): Promise<void> {
    if (this.#isClosed) return
    if (!this.#ahead || this.#ahead.isOver) this.#ahead = new Ahead(this.#open, options)
    await this.#ahead.opened
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#ahead?.drop()
  }
}

/** How long a connection waits for its request. */
const aheadMs = 30_000
const changes = ['readable', 'end', 'close', 'error'] as const

/** A connection without a request. */
class Ahead {
  /** Never rejects. */
  readonly opened: Promise<void>
  #socket: Socket | undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(open: buildConnector.connector, options: buildConnector.Options) {
    this.opened = new Promise((resolve) =>
      open(options, (_error, socket) => {
        if (socket) this.#keep(socket)
        else this.#isOver = true
        resolve()
      }),
    )
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Undefined where it could not be opened, or was closed meanwhile. */
  async take(): Promise<Socket | undefined> {
    await this.opened
    const socket = this.#release()
    return socket && !socket.destroyed && socket.writable ? socket : undefined
  }

  readonly drop = (): void => {
    this.#isOver = true
    // An error of a connection that nobody uses is nobody's.
    this.#release()
      ?.on('error', () => undefined)
      .destroy()
  }

  #keep(socket: Socket): void {
    this.#socket = socket
    if (this.#isOver) {
      this.drop()
      return
    }
    // Whatever comes before a request is no answer to it: the other side closes the connection, or says why it will.
    for (const event of changes) socket.on(event, this.drop)
    this.#timer = setTimeout(this.drop, aheadMs).unref()
  }

  #release(): Socket | undefined {
    const socket = this.#socket
    this.#socket = undefined
    clearTimeout(this.#timer)
    for (const event of changes) socket?.off(event, this.drop)
    return socket
  }
}
