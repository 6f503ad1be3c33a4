/** Recognises the model of a folder by the names of its files (k2-fsa.github.io/sherpa/onnx/pretrained_models). */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A configuration that may stand in the folder: in the form of `OfflineRecognizer` of sherpa-onnx, with files by their names. */
const ownConfig = 'sherpa.json'

/** The configuration of the recogniser. Throws an `Error` that says what is missing. */
export function recogniserConfig(folder: string, language: string | undefined): Record<string, unknown> {
  const files = namesIn(folder)
  const modelConfig = files.includes(ownConfig)
    ? resolvePaths(readOwn(path.join(folder, ownConfig)), folder, files)
    : { ...modelOf(folder, files, language), tokens: fileOf(folder, files, 'tokens', '.txt') }
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: { numThreads: 2, provider: 'cpu', debug: 0, ...modelConfig },
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    throw new Error(`there is no folder ${folder}`)
  }
}

function readOwn(file: string): Record<string, unknown> {
  try {
    const own = JSON.parse(readFileSync(file, 'utf8')) as { modelConfig?: Record<string, unknown> }
    return own.modelConfig ?? (own as Record<string, unknown>)
  } catch {
    throw new Error(`${file} is no JSON`)
  }
}

/** Replaces the names of files of the folder by whole paths, wherever they stand in the configuration. */
function resolvePaths(value: unknown, folder: string, files: readonly string[]): Record<string, unknown> {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return files.includes(one) ? path.join(folder, one) : one
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(value) as Record<string, unknown>
}

/** The file of a part of the model. Its smaller `int8` form is taken where there is one. */
function fileOf(folder: string, files: readonly string[], part: string, ending: string): string {
  const fitting = files.filter((name) => name.includes(part) && name.endsWith(ending))
  const chosen = fitting.find((name) => name.includes('int8')) ?? fitting[0]
  if (chosen === undefined) throw new Error(`${folder} has no file like ${part}*${ending}`)
  return path.join(folder, chosen)
}

function modelOf(
  folder: string,
  files: readonly string[],
  language: string | undefined,
): Record<string, unknown> {
  const file = (part: string): string => fileOf(folder, files, part, '.onnx')
  const has = (part: string): boolean => files.some((name) => name.includes(part) && name.endsWith('.onnx'))
  if (has('joiner'))
    return {
      transducer: { encoder: file('encoder'), decoder: file('decoder'), joiner: file('joiner') },
    }
  if (has('decoder'))
    return {
      whisper: {
        encoder: file('encoder'),
        decoder: file('decoder'),
        language: language ?? '',
        task: 'transcribe',
      },
    }
  const model = file('model')
  const name = path.basename(folder)
  if (/sense-?voice/i.test(name)) return { senseVoice: { model, language: language ?? '' } }
  if (/paraformer/i.test(name)) return { paraformer: { model } }
  return /zipformer/i.test(name) ? { zipformerCtc: { model } } : { nemoCtc: { model } }
}
