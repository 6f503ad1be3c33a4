/** Processor time of processes, as Linux counts it in /proc; elsewhere that of this process alone. */
import { readdirSync, readFileSync } from 'node:fs'

/** Of one process: what it used, and what its children used that have ended and were waited for. In clock ticks of 10 ms. */
interface Stat {
  pid: number
  parent: number
  own: number
  ended: number
}

const tickMs = 10

function statOf(pid: number | string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program may contain spaces and brackets; the fields are counted from behind it.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return {
      pid: Number(pid),
      parent: fields[1]!,
      own: fields[11]! + fields[12]!,
      ended: fields[13]! + fields[14]!,
    }
  } catch {
    // It has ended, or this is no Linux.
    return undefined
  }
}

/** Milliseconds of processor time that one process has used so far, without its children; 0 where that cannot be seen. */
export function processorMsOf(pid: number): number {
  return pid === process.pid ? usedByThis() : (statOf(pid)?.own ?? 0) * tickMs
}

/** Milliseconds of processor time that a process and all its descendants have used so far, those that have ended among them. */
export function processorMs(root: number = process.pid): number {
  const known = everyProcess()
  if (known === undefined) return root === process.pid ? usedByThis() : 0
  const children = Map.groupBy(known, ({ parent }) => parent)
  let ticks = 0
  const open = known.filter(({ pid }) => pid === root)
  for (let at = 0; at < open.length; at++) {
    const { pid, own, ended } = open[at]!
    ticks += own + ended
    open.push(...(children.get(pid) ?? []))
  }
  return ticks * tickMs
}

function everyProcess(): Stat[] | undefined {
  if (process.platform !== 'linux') return undefined
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(statOf).filter((stat) => stat !== undefined)
}

function usedByThis(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of processor time that the whole machine has spent on work so far; undefined where that cannot be seen. */
export function machineMs(): number | undefined {
  try {
    const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = readFileSync(
      '/proc/stat',
      'utf8',
    )
      .slice('cpu'.length, 200)
      .trim()
      .split(/\s+/)
      .map(Number)
    return (user + nice + system + interrupts + softInterrupts) * tickMs
  } catch {
    return undefined
  }
}
