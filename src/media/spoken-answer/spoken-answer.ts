/**
 * Answers to recordings by an audio model that cannot listen: transcription, a text model, then speech. One hold, one settlement, one receipt;
 * nothing here knows HTTP or a vendor.
 */
export { type SpokenAnswer, type SpokenAnswerOptions, startSpokenAnswer } from './paid-answer.ts'
