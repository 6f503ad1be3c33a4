/**
 * The smallest model that sherpa-onnx decodes (ONNX, https://onnx.ai/onnx/repo-docs/IR.html), written here byte by byte: a word for each of two bands of
 * tones, and silence for all else. Its interface is that of CTC models of zipformer and NeMo (k2-fsa/sherpa-onnx, offline-*-ctc-model.cc).
 */

/** Tokens by their ids; how `tokens.txt` names them. */
export const tokensOf = (kind: ModelKind): string =>
  idsOf(kind)
    .map((token, id) => `${token} ${id}\n`)
    .join('')

export type ModelKind = 'zipformer' | 'nemo'

const words = { low: '▁سلام', high: '▁دنیا' }
/** What stands for nothing is the first token of the one kind, and the last of the other. */
const idsOf = (kind: ModelKind): string[] =>
  kind === 'zipformer' ? ['<blk>', words.low, words.high] : [words.low, words.high, '<blk>']

/** Mel bands of a frame, of which the first half hears tones below 1.5 kHz. */
const bands = 80
/** Frames of 10 ms for one of the answer. */
const every = 4

export function toneModel(kind: ModelKind): Uint8Array {
  const isZipformer = kind === 'zipformer'
  const [sound, lengths] = isZipformer ? ['x', 'x_lens'] : ['audio_signal', 'length']
  const frames = isZipformer ? sound! : 'frames'
  const nodes = [
    ...(isZipformer ? [] : [node('Transpose', [sound!], frames, [ints('perm', [0, 2, 1])])]),
    node('MatMul', [frames, 'weights'], 'heard'),
    node('Add', ['heard', 'bias'], 'scores'),
    node('Slice', ['scores', 'zero', 'end', 'one', 'every'], 'log_probs'),
    node('Div', [lengths!, 'every'], 'log_probs_len'),
  ]
  const tensors = [
    floats('weights', [bands, 3], weightsOf(kind)),
    floats(
      'bias',
      [3],
      idsOf(kind).map((token) => (token === '<blk>' ? 0 : -threshold)),
    ),
    integers('zero', [0]),
    integers('end', [2 ** 31]),
    integers('one', [1]),
    integers('every', [every]),
  ]
  const input = isZipformer ? ['N', 'T', bands] : ['N', bands, 'T']
  const graph = message([
    ...nodes.map((one) => bytes(1, one)),
    text(2, 'tones'),
    ...tensors.map((one) => bytes(5, one)),
    bytes(11, value(sound!, type.float, input)),
    bytes(11, value(lengths!, type.int64, ['N'])),
    bytes(12, value('log_probs', type.float, ['N', 'U', 3])),
    bytes(12, value('log_probs_len', type.int64, ['N'])),
  ])
  const facts = {
    model_type: isZipformer ? 'zipformer2' : 'EncDecCTCModelBPE',
    vocab_size: '2',
    subsampling_factor: String(every),
    normalize_type: '',
  }
  return message([
    number(1, 8),
    text(2, 'kherad'),
    bytes(7, graph),
    bytes(8, message([text(1, ''), number(2, 13)])),
    ...Object.entries(facts).map(([name, fact]) => bytes(14, message([text(1, name), text(2, fact)]))),
  ])
}

/** A band that sounds is some units above one that does not; the sum of those of a tone decides. */
const threshold = 40
function weightsOf(kind: ModelKind): number[] {
  const half = bands / 2
  const weight = (token: string, band: number): number => {
    if (token === '<blk>') return 0
    const isOwn = token === words.low ? band < half : band >= half
    return isOwn ? 1 : -1
  }
  return Array.from({ length: bands }, (_, band) => idsOf(kind).map((token) => weight(token, band))).flat()
}

const type = { float: 1, int64: 7 }

const node = (
  operation: string,
  inputs: string[],
  output: string,
  attributes: Uint8Array[] = [],
): Uint8Array =>
  message([
    ...inputs.map((name) => text(1, name)),
    text(2, output),
    text(4, operation),
    ...attributes.map((one) => bytes(5, one)),
  ])
const ints = (name: string, values: number[]): Uint8Array =>
  message([text(1, name), ...values.map((one) => number(8, one)), number(20, 7)])
const floats = (name: string, shape: number[], values: number[]): Uint8Array =>
  tensor(name, type.float, shape, new Uint8Array(Float32Array.from(values).buffer))
const integers = (name: string, values: number[]): Uint8Array =>
  tensor(name, type.int64, [values.length], new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer))
const tensor = (name: string, of: number, shape: number[], raw: Uint8Array): Uint8Array =>
  message([...shape.map((size) => number(1, size)), number(2, of), text(8, name), bytes(9, raw)])
function value(name: string, of: number, shape: (string | number)[]): Uint8Array {
  const sizes = shape.map((size) =>
    bytes(1, message([typeof size === 'number' ? number(1, size) : text(2, size)])),
  )
  const tensorType = message([number(1, of), bytes(2, message(sizes))])
  return message([text(1, name), bytes(2, message([bytes(1, tensorType)]))])
}

/** Fields of protocol buffers (https://protobuf.dev/programming-guides/encoding): numbers, and what has a length. */
const message = (fields: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(fields))
const number = (field: number, of: number): Uint8Array => message([varint(field * 8), varint(of)])
const bytes = (field: number, of: Uint8Array): Uint8Array =>
  message([varint(field * 8 + 2), varint(of.length), of])
const text = (field: number, of: string): Uint8Array => bytes(field, Buffer.from(of))
function varint(of: number): Uint8Array {
  const parts: number[] = []
  for (let rest = of; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...parts, rest])
    parts.push((rest % 128) + 128)
  }
}
