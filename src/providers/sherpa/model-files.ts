/** What a folder of a model is, by the names of its files (k2-fsa.github.io/sherpa/onnx/pretrained_models). */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A configuration of its own may stand in the folder: as `OfflineRecognizer` of sherpa-onnx takes it, files by their names. */
const ownConfig = 'sherpa.json'

/** The configuration of the recogniser. Throws an `Error` that says what is missing. */
export function recogniserConfig(folder: string, language: string | undefined): Record<string, unknown> {
  const files = namesIn(folder)
  const modelConfig = files.includes(ownConfig)
    ? placed(readOwn(path.join(folder, ownConfig)), folder, files)
    : { ...modelOf(folder, files, language), tokens: fileOf(folder, files, /tokens\.txt$/) }
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

/** Names of files of the folder as whole paths, wherever they stand. */
function placed(value: unknown, folder: string, files: readonly string[]): Record<string, unknown> {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return files.includes(one) ? path.join(folder, one) : one
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]))
  }
  return walk(value) as Record<string, unknown>
}

/** Smaller files of the same model are taken before larger ones. */
function fileOf(folder: string, files: readonly string[], pattern: RegExp): string {
  const fitting = files.filter((name) => pattern.test(name))
  const chosen = fitting.find((name) => name.includes('int8')) ?? fitting[0]
  if (chosen === undefined) throw new Error(`${folder} has no file like ${pattern.source}`)
  return path.join(folder, chosen)
}

function modelOf(
  folder: string,
  files: readonly string[],
  language: string | undefined,
): Record<string, unknown> {
  const file = (pattern: RegExp): string => fileOf(folder, files, pattern)
  const has = (pattern: RegExp): boolean => files.some((name) => pattern.test(name))
  if (has(/joiner.*\.onnx$/))
    return {
      transducer: {
        encoder: file(/encoder.*\.onnx$/),
        decoder: file(/decoder.*\.onnx$/),
        joiner: file(/joiner.*\.onnx$/),
      },
    }
  if (has(/decoder.*\.onnx$/))
    return {
      whisper: {
        encoder: file(/encoder.*\.onnx$/),
        decoder: file(/decoder.*\.onnx$/),
        language: language ?? '',
        task: 'transcribe',
      },
    }
  const model = file(/model.*\.onnx$/)
  const name = path.basename(folder)
  if (/sense-?voice/i.test(name)) return { senseVoice: { model, language: language ?? '' } }
  if (/paraformer/i.test(name)) return { paraformer: { model } }
  return /zipformer/i.test(name) ? { zipformerCtc: { model } } : { nemoCtc: { model } }
}
