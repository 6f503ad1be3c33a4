/** Media types as clients write them: with parameters, in any case, and by the names that browsers, telephones and old programs have for them. */
import { essenceOf, type SpellingSchema, spelled } from '#platform/schema'

/** The usual name of each type that goes by another one. */
const synonyms: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/mpg': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/x-mpeg-3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-mp4': 'audio/mp4',
  'audio/mp4a-latm': 'audio/mp4',
  'audio/3gpp': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  'audio/aacp': 'audio/aac',
  'audio/x-aac': 'audio/aac',
  'audio/x-hx-aac-adts': 'audio/aac',
  'audio/opus': 'audio/ogg',
  'audio/vorbis': 'audio/ogg',
  'audio/x-ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'audio/matroska': 'audio/webm',
  'audio/x-matroska': 'audio/webm',
  'audio/aif': 'audio/aiff',
  'audio/aifc': 'audio/aiff',
  'audio/x-aiff': 'audio/aiff',
  'audio/x-aifc': 'audio/aiff',
  'audio/caf': 'audio/x-caf',
  'audio/wma': 'audio/x-ms-wma',
  'audio/x-wma': 'audio/x-ms-wma',
  'audio/amr-nb': 'audio/amr',
  'audio/amr-wb': 'audio/amr',
  'video/x-m4v': 'video/mp4',
  'application/x-pdf': 'application/pdf',
  'application/csv': 'text/csv',
  'text/x-csv': 'text/csv',
}

/** The type without its parameters, in lower case, by its usual name. */
export function mediaTypeOf(claimed: string): string {
  const plain = essenceOf(claimed)
  return Object.hasOwn(synonyms, plain) ? synonyms[plain]! : plain
}

/** What a sender says who does not know the type. */
export const anyType = 'application/octet-stream'

/** The schema of a field that names one of these types, in whatever way; `more` are further names for them. */
export const mediaTypeField = <const Types extends readonly string[]>(
  types: Types,
  more: Readonly<Record<string, Types[number]>> = {},
  options: Record<string, unknown> = {},
): SpellingSchema<Types[number]> => {
  const names = Object.entries(synonyms).filter(([, type]) => types.includes(type))
  const spellings = { ...Object.fromEntries(names), ...more } as Record<string, Types[number]>
  return spelled<Types[number]>(types, spellings, options)
}

/** The types of recordings: those of the contract, and those that the operator's ffmpeg adds. */
const recordingTypes = [
  ...([
    'audio/webm',
    'audio/mp4',
    'audio/mpeg',
    'audio/wav',
    'audio/ogg',
    'audio/flac',
    'audio/aac',
  ] as const),
  ...(['audio/aiff', 'audio/x-caf', 'audio/x-ms-wma', 'audio/amr'] as const),
]

/** The schema of a field that names the type of a recording. Browsers call the sound of a page a film too, whose tracks are looked at. */
export const recordingTypeField = (options: Record<string, unknown> = {}) =>
  mediaTypeField(
    recordingTypes,
    { 'video/webm': 'audio/webm', 'video/mp4': 'audio/mp4', 'video/quicktime': 'audio/mp4' },
    options,
  )
