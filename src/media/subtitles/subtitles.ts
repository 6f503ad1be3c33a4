/**
 * Subtitles of a transcript: cut into cues that can be read, and written as SubRip or WebVTT. Every player shows the files from right to left where
 * the text runs so. `cuesOf` is pure, and works in slices, since a transcript may cover four hours.
 */
export { cuesOf } from './cues.ts'
export { srtOf, vttOf } from './write.ts'
