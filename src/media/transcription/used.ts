/** The usage of a transcription, measured by the pieces that an upstream may bill, and by its claims as far as they are possible. */
import type { FilledPart } from '#core/paid'
import type { TranscriptionResult } from '#core/spec'
import type { TranscriptionCandidate } from './candidates.ts'
import type { PieceTranscript } from './heard.ts'
import { paidTokensOf, type TranscriptionTokens } from './heard-tokens.ts'

/** The transcript of a piece, and the usage that the upstream counts for it. */
export interface FilledPiece {
  heard: PieceTranscript
  usage: TranscriptionResult['usage']
}

/** A piece that was sent, with its outcome. */
export type SentPiece = FilledPart<TranscriptionCandidate, FilledPiece>

/** The tokens that upstreams claim for the filled pieces. */
export function claimedTokens(pieces: readonly SentPiece[]): TranscriptionTokens | undefined {
  const usages = pieces.flatMap((part) => (part.fault ? [] : (part.done.usage ?? [])))
  if (!usages.some(({ input, output }) => input !== undefined || output !== undefined)) return undefined
  const sum = (figure: 'input' | 'output') => usages.reduce((total, usage) => total + (usage[figure] ?? 0), 0)
  return { input: sum('input'), output: sum('output') }
}

/** The claimed tokens as far as they are possible, else an estimate where the price is by tokens. */
export function usedTokens(pieces: readonly SentPiece[]): TranscriptionTokens {
  const tokens = { input: 0, output: 0 }
  for (const part of billedPieces(pieces)) {
    const { input, output } = tokensOf(part)
    tokens.input += input
    tokens.output += output
  }
  return tokens
}

/** The seconds of each piece that an upstream may bill. */
export const usedSeconds = (pieces: readonly SentPiece[]): number[] =>
  billedPieces(pieces).map(({ candidate }) => candidate.piece.sound.seconds)

/** The pieces that an upstream may bill. */
const billedPieces = (pieces: readonly SentPiece[]): SentPiece[] =>
  pieces.filter(({ fault }) => !fault || fault.executed)

function tokensOf(part: SentPiece): TranscriptionTokens {
  const { model, plan, piece } = part.candidate
  const { seconds } = piece.sound
  return part.fault
    ? paidTokensOf(model, plan, { seconds, letters: 0 })
    : paidTokensOf(model, plan, { seconds, letters: part.done.heard.text.length }, part.done.usage)
}
