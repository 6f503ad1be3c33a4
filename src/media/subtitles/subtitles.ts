/**
 * Subtitles of a transcript: cut into cues that can be read (`cuesOf`), and written as SubRip or WebVTT that every player shows from right to
 * left where the text is. Pure, and in slices: a transcript may be of four hours.
 */
export { cuesOf } from './cues.ts'
export { srtOf, vttOf } from './write.ts'
