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
  'audio/mpeg-3': 'audio/mpeg',
  'audio/x-mpg': 'audio/mpeg',
  'audio/mpa': 'audio/mpeg',
  'audio/mp1': 'audio/mpeg',
  'audio/mp2': 'audio/mpeg',
  'audio/x-mp2': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/s-wav': 'audio/wav',
  'audio/vnd.wav': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-mp4': 'audio/mp4',
  'audio/mp4a': 'audio/mp4',
  'audio/mp4a-latm': 'audio/mp4',
  'audio/mpeg4-generic': 'audio/mp4',
  'audio/m4b': 'audio/mp4',
  'audio/x-m4b': 'audio/mp4',
  'audio/x-m4p': 'audio/mp4',
  'audio/x-m4r': 'audio/mp4',
  'audio/quicktime': 'audio/mp4',
  'audio/3gp': 'audio/mp4',
  'audio/3gpp': 'audio/mp4',
  'audio/3gpp2': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  'audio/aacp': 'audio/aac',
  'audio/x-aac': 'audio/aac',
  'audio/x-hx-aac-adts': 'audio/aac',
  'audio/adts': 'audio/aac',
  'audio/x-adts': 'audio/aac',
  'audio/x-dlna-adts': 'audio/aac',
  'audio/vnd.dlna.adts': 'audio/aac',
  'audio/opus': 'audio/ogg',
  'audio/vorbis': 'audio/ogg',
  'audio/x-ogg': 'audio/ogg',
  'audio/oga': 'audio/ogg',
  'audio/x-opus': 'audio/ogg',
  'audio/x-vorbis': 'audio/ogg',
  'audio/x-oggflac': 'audio/ogg',
  'audio/x-opus+ogg': 'audio/ogg',
  'audio/x-vorbis+ogg': 'audio/ogg',
  'audio/x-flac+ogg': 'audio/ogg',
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
  'audio/x-ms-asf': 'audio/x-ms-wma',
  'audio/amr-nb': 'audio/amr',
  'audio/amr-wb': 'audio/amr',
  'audio/x-amr': 'audio/amr',
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

/** Whether a sender says nothing by this type. Browsers write none for a file whose ending they do not know. */
export const isAnyType = (claimed: string): boolean => ['', anyType].includes(mediaTypeOf(claimed))

/** The same for the schema of a field: what it says nothing by, in the place of one of its types. */
export const anyTypeAs = <const Value extends string>(type: Value): Record<string, Value> => ({
  '': type,
  [anyType]: type,
})

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
  anyType,
] as const

/** What browsers and pickers say of files with sound alone: they go by the ending, and the tracks of a film are looked at. */
const filmTypes: Readonly<Record<string, (typeof recordingTypes)[number]>> = {
  'video/webm': 'audio/webm',
  'video/matroska': 'audio/webm',
  'video/x-matroska': 'audio/webm',
  'video/mp4': 'audio/mp4',
  'video/x-m4v': 'audio/mp4',
  'video/3gpp': 'audio/mp4',
  'video/3gpp2': 'audio/mp4',
  'video/quicktime': 'audio/mp4',
  'video/ogg': 'audio/ogg',
  'video/mpeg': 'audio/mpeg',
  'video/x-ms-asf': 'audio/x-ms-wma',
  'application/vnd.ms-asf': 'audio/x-ms-wma',
}

/** The schema of a field that names the type of a recording, or that it is not known; the bytes decide. */
export const recordingTypeField = (options: Record<string, unknown> = {}) =>
  mediaTypeField(recordingTypes, { ...filmTypes, ...anyTypeAs(anyType) }, options)
