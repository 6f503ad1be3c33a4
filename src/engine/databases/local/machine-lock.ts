/** One at a time on this machine, whatever process it is in; the kernel releases the lock of a process that was killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export class MachineLock {
  readonly #flock: string
  readonly #file: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(flock: string, file: string) {
    this.#flock = flock
    this.#file = file
  }

  /** Runs `work`, which must be short: everybody waits for it. */
  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => this.#run(work))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    // The lock is that of a program which says that it has it, and ends when its input does.
    const holder = spawn(this.#flock, [this.#file, '/bin/sh', '-c', 'echo; read end'], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    holder.stdin.on('error', () => undefined)
    const ended = once(holder, 'exit')
    await Promise.race([
      once(holder.stdout, 'data'),
      ended.then(() => Promise.reject(new Error(`${this.#file} cannot be locked`))),
    ])
    try {
      return await work()
    } finally {
      holder.stdin.end()
      await ended
    }
  }
}
