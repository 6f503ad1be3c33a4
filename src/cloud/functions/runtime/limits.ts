/** What the functions of one cloud may use. */
export interface RuntimeLimits {
  /** CPU time of one call. Calls at the same time share what their process uses. */
  cpuMs: number
  /** CPU time of a start, before that of calls counts. */
  startCpuMs: number
  /** The longest time of one call, without that in which it waited for requests that it sent. */
  ownMs: number
  /** The longest time of one call, with everything. */
  wallMs: number
  heapMb: number
  /** RLIMIT_DATA; V8 reserves some 546 MB of it that it never uses. */
  dataBytes: number
  residentBytes: number
  threads: number
  /** Calls at once, and calls that wait for one of these to end. */
  atOnce: number
  waiting: number
  /** The most bytes of the body of a call, and of its answer. */
  bodyBytes: number
  headerBytes: number
  /** A process without calls is ended after this time. */
  idleMs: number
  /** The longest time for loading the code of one function when it is deployed. */
  tryMs: number
  /** Lines of logs in a second, and bytes of all output in a second: more is dropped, and beyond `outputPauseFactor` times as many bytes the writer waits. */
  linesPerSecond: number
  outputBytesPerSecond: number
}

/** How many times the bytes that are kept may be written in a second: the rest costs only the counting. */
export const outputPauseFactor = 16

export const starterLimits: RuntimeLimits = {
  cpuMs: 1_000,
  startCpuMs: 200,
  ownMs: 10_000,
  wallMs: 150_000,
  heapMb: 64,
  dataBytes: 640_000_000,
  residentBytes: 250_000_000,
  threads: 32,
  atOnce: 4,
  waiting: 16,
  bodyBytes: 1_000_000,
  headerBytes: 16 * 1024,
  idleMs: 60_000,
  tryMs: 30_000,
  linesPerSecond: 100,
  outputBytesPerSecond: 256 * 1024,
}

export const dedicatedLimits: RuntimeLimits = {
  ...starterLimits,
  cpuMs: 2_000,
  ownMs: 30_000,
  heapMb: 192,
  dataBytes: 800_000_000,
  residentBytes: 420_000_000,
  atOnce: 32,
  waiting: 128,
  bodyBytes: 6_000_000,
  idleMs: 600_000,
}

/** The memory that each function adds to the process that it shares, where each has an isolate of its own. */
const bytesOfFunction = 8_000_000

/** The limits of a process with this many functions; `limits` are for one. */
export const limitsFor = (functions: number, limits: RuntimeLimits): RuntimeLimits => ({
  ...limits,
  dataBytes: limits.dataBytes + (functions - 1) * bytesOfFunction,
  residentBytes: limits.residentBytes + (functions - 1) * bytesOfFunction,
})
