/**
 * Subtitles of a transcript: cut into cues that can be read (`cuesOf`), and written as SubRip or WebVTT that every player shows from right to left
 * where the text runs so. Pure, and in slices, since a transcript may cover four hours.
 */
export { cuesOf } from './cues.ts'
export { srtOf, vttOf } from './write.ts'
