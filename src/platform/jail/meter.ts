import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { setPriority } from 'node:os'

/** What a process has used so far. */
export interface Consumption {
  /** The CPU time of all its threads, in milliseconds. */
  cpuMs: number
  residentBytes: number
  threads: number
  /** True if its first thread waits for something. A thread that calculates does not wait, however seldom it gets a processor. */
  isWaiting: boolean
}

export interface Meter extends Disposable {
  /** The current consumption; undefined if the process is gone. */
  read(): Consumption | undefined
}

/** `USER_HZ`, which is 100 on every Linux of x64 and arm64. */
const ticksPerSecond = 100
/** Positions in /proc/<pid>/stat after the name of the program, which may itself contain spaces and parentheses. */
const state = 0
const userTicks = 11
const systemTicks = 12
const threadCount = 17
const residentPages = 21

/**
 * Reads what a process consumes from procfs, which takes some ten microseconds. The file is kept open, so that a process that gets the same number
 * later is never confused with this one. CPU time below a tick of the kernel (10 ms) appears in a later reading.
 */
export function openMeter(pid: number): Meter {
  const descriptor = openSync(`/proc/${pid}/stat`, 'r')
  const buffer = Buffer.alloc(1_024)
  let isOpen = true
  return {
    read() {
      if (!isOpen) return undefined
      try {
        return consumptionIn(buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0)))
      } catch {
        return undefined
      }
    },
    [Symbol.dispose]() {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}

function consumptionIn(stat: string): Consumption | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const number = (index: number): number => Number(fields[index])
  if (fields.length <= residentPages) return undefined
  return {
    cpuMs: ((number(userTicks) + number(systemTicks)) * 1_000) / ticksPerSecond,
    residentBytes: number(residentPages) * pageBytes(),
    threads: number(threadCount),
    isWaiting: fields[state] !== 'R',
  }
}

let knownPageBytes: number | undefined

/** The size of a memory page: 4 KB on x64, 4 to 64 KB on arm64. The kernel passes it to every program (AT_PAGESZ). */
export function pageBytes(): number {
  knownPageBytes ??= pageBytesIn(readFileSync('/proc/self/auxv'))
  return knownPageBytes
}

function pageBytesIn(vector: Buffer): number {
  for (let at = 0; at + 16 <= vector.length; at += 16)
    if (vector.readBigUInt64LE(at) === 6n) return Number(vector.readBigUInt64LE(at + 8))
  return 4_096
}

/** The priority of a jailed process, lower than that of this server: calculations in a jail wait for the server. */
const lowPriority = 5

/** Lowers the priority of a process; call it after the start, for which callers wait. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, lowPriority)
  } catch {
    // The process has ended, or may not be changed.
  }
}
