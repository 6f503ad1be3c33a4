/**
 * The inner loop of the resampler as WebAssembly, four products at a time: a fifth of the time of the same loop in JavaScript. The module has some
 * hundred bytes, which are assembled here so that nobody needs a compiler to read or change them.
 */

import { noSamples } from './pcm.ts'

/** How output samples follow one another: at `up / down` of the input rate. */
export interface FilterShape {
  /** The coefficients of one phase, a multiple of four. */
  taps: number
  up: number
  down: number
  /** A row of `taps` for each of `up` phases. */
  table: Float32Array
}

/** The most input samples of one run. */
const inputSamples = 8_192
/** The most output samples of one run. */
const outputSamples = 16_384
const pageBytes = 65_536
/** Bytes of a sample. */
const size = 4

type FilterRun = (
  input: number,
  output: number,
  outputEnd: number,
  phase: number,
  rowBytes: number,
  up: number,
  stepBytes: number,
  stepPhase: number,
) => void

/** A table with room for input and output. A run is never interrupted, so that any number of resamplers share one filter. */
export class Filter {
  readonly shape: Readonly<FilterShape>
  readonly #run: FilterRun
  readonly #input: Float32Array
  readonly #output: Float32Array

  constructor(shape: FilterShape) {
    this.shape = shape
    const { table, taps } = shape
    const room = inputSamples + taps
    const memory = new WebAssembly.Memory({
      initial: Math.ceil((size * (table.length + room + outputSamples)) / pageBytes),
    })
    new Float32Array(memory.buffer).set(table)
    this.#input = new Float32Array(memory.buffer, size * table.length, room)
    this.#output = new Float32Array(memory.buffer, size * (table.length + room), outputSamples)
    const { exports } = new WebAssembly.Instance(compiled(), { own: { memory } })
    this.#run = exports['run'] as FilterRun
  }

  /** How many new input samples one run takes. */
  get inputSamples(): number {
    const { up, down } = this.shape
    return Math.max(1, Math.min(inputSamples, Math.floor((outputSamples * down) / up) - 1))
  }

  /**
   * The first `count` output samples, valid until the next call.
   * @param held input before `samples`: `taps` at most
   * @param at the position in the input, `held` first, at which the first output begins; `phase` is its phase
   */
  outputOf(
    held: Float32Array,
    samples: Float32Array,
    { at, phase, count }: { at: number; phase: number; count: number },
  ): Float32Array {
    if (count <= 0) return noSamples
    const { taps, up, down } = this.shape
    this.#input.set(held)
    this.#input.set(samples, held.length)
    const output = this.#output.byteOffset
    this.#run(
      this.#input.byteOffset + size * at,
      output,
      output + size * count,
      phase,
      size * taps,
      up,
      size * Math.floor(down / up),
      down % up,
    )
    return this.#output.subarray(0, count)
  }
}

let module: WebAssembly.Module | undefined

function compiled(): WebAssembly.Module {
  module ??= new WebAssembly.Module(new Uint8Array(program()))
  return module
}

/** Instructions and types of WebAssembly 2.0 (sections 5.3 and 5.4), in bytes. */
const i32 = 0x7f
const v128 = 0x7b
const end = 0x0b
const loop = [0x03, 0x40]
const ifTrue = [0x04, 0x40]
const againIfTrue = [0x0d, 0]
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const setAndGet = (local: number): number[] => [0x22, local]
const constant = (value: number): number[] => [0x41, value]
const add = 0x6a
const subtract = 0x6b
const multiply = 0x6c
const isLess = 0x49
const isNotLess = 0x4f
const addFloats = 0x92
const storeFloat = [0x38, 2, 0]
const loadFour = [0xfd, 0x00, 2, 0]
const fourZeros = [0xfd, 0x0c, ...new Array<number>(16).fill(0)]
const extractLane = (lane: number): number[] => [0xfd, 0x1f, lane]
const addFour = [0xfd, 0xe4, 0x01]
const multiplyFour = [0xfd, 0xe6, 0x01]

/** The local variables: first the parameters, in the order of `FilterRun`. */
const [input, output, outputEnd, phase, rowBytes, up, stepBytes, stepPhase] = [0, 1, 2, 3, 4, 5, 6, 7]
const [row, at, rowEnd, sum] = [8, 9, 10, 11]
const parameters = 8

/** Each output is the sum of a row of the table times the input from the output's place on. */
const body = [
  ...loop,
  ...[...get(phase), ...get(rowBytes), multiply, ...setAndGet(row), ...get(rowBytes), add, ...set(rowEnd)],
  ...[...get(input), ...set(at), ...fourZeros, ...set(sum)],
  ...loop,
  ...[
    ...get(sum),
    ...get(row),
    ...loadFour,
    ...get(at),
    ...loadFour,
    ...multiplyFour,
    ...addFour,
    ...set(sum),
  ],
  ...[...get(at), ...constant(16), add, ...set(at)],
  ...[...get(row), ...constant(16), add, ...setAndGet(row), ...get(rowEnd), isLess, ...againIfTrue],
  end,
  ...get(output),
  ...[...get(sum), ...extractLane(0), ...get(sum), ...extractLane(1), addFloats],
  ...[...get(sum), ...extractLane(2), ...get(sum), ...extractLane(3), addFloats, addFloats, ...storeFloat],
  // The next output begins `stepBytes` later in the input, and one sample more where its phase wraps around.
  ...[...get(input), ...get(stepBytes), add, ...set(input)],
  ...[...get(phase), ...get(stepPhase), add, ...setAndGet(phase), ...get(up), isNotLess],
  ...ifTrue,
  ...[
    ...get(phase),
    ...get(up),
    subtract,
    ...set(phase),
    ...get(input),
    ...constant(size),
    add,
    ...set(input),
  ],
  end,
  ...[
    ...get(output),
    ...constant(size),
    add,
    ...setAndGet(output),
    ...get(outputEnd),
    isLess,
    ...againIfTrue,
  ],
  end,
  end,
]

/** A module with one function, `run`, which works on an imported memory. */
function program(): number[] {
  const locals = [2, 3, i32, 1, v128]
  return [
    ...[0, ...bytesOf('asm'), 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters, ...new Array<number>(parameters).fill(i32), 0]),
    ...section(2, [1, ...named('own'), ...named('memory'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...named('run'), 0, 0]),
    ...section(10, [1, ...withLength([...locals, ...body])]),
  ]
}

const section = (kind: number, content: readonly number[]): number[] => [kind, ...withLength(content)]
/** The content after its length, which has seven bits in each byte, the lowest first. */
const withLength = (content: readonly number[]): number[] => [...lengthOf(content.length), ...content]
const lengthOf = (length: number): number[] =>
  length < 128 ? [length] : [(length & 127) | 128, ...lengthOf(length >> 7)]
const bytesOf = (text: string): number[] => [...Buffer.from(text)]
const named = (text: string): number[] => withLength(bytesOf(text))
