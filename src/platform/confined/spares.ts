import type { ChildProcess } from 'node:child_process'

/** How long a process waits for work, in milliseconds; it holds some forty megabytes. */
const usualIdleMs = 60_000

interface Spare {
  child: ChildProcess
  timer: NodeJS.Timeout
}

/**
 * Processes that were started before their work came, one of each kind at most: starting takes ten times as long as reading a short file. Each does one
 * piece of work, as any other does. They keep no server running: when it ends their input ends, and they do.
 */
export class Spares {
  readonly #idleMs: number
  readonly #spares = new Map<string, Spare>()

  constructor(idleMs = usualIdleMs) {
    this.#idleMs = idleMs
  }

  /** The one of this kind, which is the caller's then. */
  take(kind: string): ChildProcess | undefined {
    const spare = this.#spares.get(kind)
    if (!spare) return undefined
    this.#spares.delete(kind)
    clearTimeout(spare.timer)
    for (const handle of handlesOf(spare.child)) handle.ref()
    return isAlive(spare.child) ? spare.child : undefined
  }

  /** Keeps one of this kind, if there is none. */
  keep(kind: string, start: () => ChildProcess): void {
    if (this.#spares.has(kind)) return
    const child = start()
    if (child.pid === undefined) return void child.once('error', () => {})
    const forget = (): void => {
      clearTimeout(spare.timer)
      if (this.#spares.get(kind) === spare) this.#spares.delete(kind)
    }
    // Its end is heard later, on a busy machine much later: nobody gets it meanwhile.
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

/** What would keep the server running. Pipes are sockets, which their types do not say. */
const handlesOf = (child: ChildProcess): Pick<ChildProcess, 'ref' | 'unref'>[] => [
  child,
  child.stdin as unknown as ChildProcess,
  child.stdout as unknown as ChildProcess,
]
