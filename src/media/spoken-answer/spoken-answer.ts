/**
 * An answer to a recording by an audio model that cannot listen: the recording is written down, a text model answers it, and the answer is spoken.
 * One hold, one settlement, one receipt; nothing here knows HTTP or a vendor.
 */
export { type SpokenAnswer, type SpokenAnswerOptions, startSpokenAnswer } from './paid-answer.ts'
