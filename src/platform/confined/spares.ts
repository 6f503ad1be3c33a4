import type { ChildProcess } from 'node:child_process'

/** How long a spare process waits for work, in milliseconds; it takes some forty megabytes. */
const usualIdleMs = 60_000

interface Spare {
  child: ChildProcess
  timer: NodeJS.Timeout
}

/**
 * Processes that were started before their work is known, at most one of each kind: starting a process takes ten times as long as reading a short
 * file. Each does one piece of work, as any other confined process. They do not keep the server alive: when the server ends, their input ends, and
 * they exit.
 */
export class Spares {
  readonly #idleMs: number
  readonly #spares = new Map<string, Spare>()

  constructor(idleMs = usualIdleMs) {
    this.#idleMs = idleMs
  }

  /** Returns the spare of this kind, which then belongs to the caller. */
  take(kind: string): ChildProcess | undefined {
    const spare = this.#spares.get(kind)
    if (!spare) return undefined
    this.#spares.delete(kind)
    clearTimeout(spare.timer)
    for (const handle of handlesOf(spare.child)) handle.ref()
    return isAlive(spare.child) ? spare.child : undefined
  }

  /** Starts and keeps a spare of this kind, if there is none. */
  keep(kind: string, start: () => ChildProcess): void {
    if (this.#spares.has(kind)) return
    const child = start()
    if (child.pid === undefined) return void child.once('error', () => {})
    const forget = (): void => {
      clearTimeout(spare.timer)
      if (this.#spares.get(kind) === spare) this.#spares.delete(kind)
    }
    // The spare is forgotten at once, so that nobody gets it: the event of its exit comes later, on a busy machine much later.
    const end = (): void => {
      forget()
      child.kill('SIGKILL')
    }
    const spare: Spare = { child, timer: setTimeout(end, this.#idleMs).unref() }
    this.#spares.set(kind, spare)
    child.once('exit', forget)
    for (const handle of handlesOf(child)) handle.unref()
  }
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** The handles that would keep the server running. The pipes are sockets, although their types do not say so. */
const handlesOf = (child: ChildProcess): Pick<ChildProcess, 'ref' | 'unref'>[] => [
  child,
  child.stdin as unknown as ChildProcess,
  child.stdout as unknown as ChildProcess,
]
