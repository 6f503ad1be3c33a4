import type { BudgetedSteps } from '../budgeted-steps.ts'
import { singleLine } from '../cut.ts'
import { listIn, memberOf, readJson, textIn } from '../json.ts'
import type { StepContext } from '../pipelines.ts'
import type { ResearchStep } from './budget.ts'
import { containsNumbers, containsQuote } from './evidence.ts'
import type { ReadSource } from './gather.ts'
import { researchPhrases as words } from './phrases.ts'
import { checkPrompt, claimLines } from './prompts.ts'
import { hasWords, piecesOf, type Sentence } from './sentences.ts'

/** `plain` makes no claim that could be false; `removed` is left out of the report. */
export type SentenceVerdict = 'supported' | 'unsupported' | 'unchecked' | 'plain' | 'removed'

export interface Evidence {
  /** Number of the source. */
  number: number
  quote: string
}

export type CheckedPiece =
  | { kind: 'plain'; text: string }
  | { kind: 'sentence'; sentence: Sentence; verdict: SentenceVerdict; evidence: Evidence[] }

/**
 * Gives every sentence of a draft a verdict. A sentence is supported if the verifier quotes a source that the sentence cites, and the
 * source contains the quotation and every number of the sentence. The verifier's opinion without a quotation counts only against it.
 */
export async function checkDraft(
  context: StepContext,
  steps: BudgetedSteps<ResearchStep>,
  draft: { step: string; title: string; markdown: string },
  sources: readonly ReadSource[],
): Promise<CheckedPiece[]> {
  const pieces = piecesOf(withoutLinks(draft.markdown, sources))
  const exists = (number: number) => number >= 1 && number <= sources.length
  const claims = pieces.filter(
    (piece): piece is Sentence => piece.kind === 'sentence' && hasWords(piece) && isSourced(piece, exists),
  )
  for (const sentence of claims) sentence.numbers = sentence.numbers.filter(exists)
  const answers = await askVerifier(context, steps, draft, claims, sources)
  return pieces.map((piece): CheckedPiece => {
    if (piece.kind === 'plain') return piece
    if (!hasWords(piece)) return { kind: 'plain', text: '' }
    if (!claims.includes(piece))
      return { kind: 'sentence', sentence: piece, verdict: 'removed', evidence: [] }
    return { kind: 'sentence', sentence: piece, ...judge(piece, answers.get(piece), sources) }
  })
}

/** Whether a sentence is verified: it cites at least one existing source, or none at all. One that cites only missing sources is removed. */
const isSourced = ({ numbers }: Sentence, exists: (number: number) => boolean): boolean =>
  numbers.length === 0 || numbers.some(exists)

interface VerifierAnswer {
  verdict: string
  source: number
  quote: string
}

async function askVerifier(
  context: StepContext,
  steps: BudgetedSteps<ResearchStep>,
  { step, title }: { step: string; title: string },
  claims: readonly Sentence[],
  sources: readonly ReadSource[],
): Promise<Map<Sentence, VerifierAnswer[]>> {
  const answers = new Map<Sentence, VerifierAnswer[]>()
  const lines = claimLines(claims)
  if (lines.length === 0) return answers
  const cited = new Set(claims.slice(0, lines.length).flatMap(({ numbers }) => numbers))
  const shown = sources
    .map((source, index) => ({ source, number: index + 1 }))
    .filter(({ number }) => cited.has(number))
  const reply = await steps.ask('check', step, checkPrompt(context.task, lines, shown), words.check(title))
  for (const entry of listIn(reply && readJson(reply.text), 'checks', 4 * lines.length)) {
    const sentence = claims.slice(0, lines.length)[Number(memberOf(entry, 'id')) - 1]
    if (!sentence) continue
    const answer = {
      verdict: textIn(entry, 'verdict').toLowerCase(),
      source: Number(memberOf(entry, 'source')),
      quote: textIn(entry, 'quote').slice(0, 1_000),
    }
    answers.set(sentence, [...(answers.get(sentence) ?? []), answer])
  }
  return answers
}

function judge(
  { text, numbers }: Sentence,
  answers: readonly VerifierAnswer[] | undefined,
  sources: readonly ReadSource[],
): { verdict: SentenceVerdict; evidence: Evidence[] } {
  const none = (verdict: SentenceVerdict) => ({ verdict, evidence: [] })
  if (numbers.length === 0) {
    const isStructure = answers?.every(({ verdict }) => verdict === 'no-claim') && !/\p{N}/u.test(text)
    return none(isStructure ? 'plain' : 'unsupported')
  }
  if (!answers) return none('unchecked')
  const evidence = answers
    .filter(
      ({ verdict, source, quote }) =>
        verdict === 'supported' &&
        numbers.includes(source) &&
        containsQuote(sources[source - 1]!.folded, quote),
    )
    .map(({ source, quote }) => ({ number: source, quote: singleLine(quote, 300) }))
  const known = new Set(evidence.flatMap(({ number }) => [...sources[number - 1]!.numbers]))
  if (evidence.length > 0 && containsNumbers(known, text)) return { verdict: 'supported', evidence }
  if (answers.some(({ verdict }) => verdict === 'contradicted')) return none('removed')
  return none('unsupported')
}

/** Removes links, images and addresses that the model made up and keeps their texts; a report refers to sources by number only. */
function withoutLinks(markdown: string, sources: readonly ReadSource[]): string {
  const known = new Set(sources.map(({ url }) => url))
  return markdown
    .slice(0, 100_000)
    .replace(/!\[([^\][\n]{0,500})\]\([^)[\n]{0,2000}\)/g, '$1')
    .replace(/\[([^\][\n]{1,500})\]\(\s?<?https?:[^)[\n]{0,2000}\)/gi, '$1')
    .replace(/\[\^([\d۰-۹٠-٩]{1,4})\](?!:)/g, '[$1]')
    .replace(/^\s{0,3}\[\^?[^\]\n]{1,100}\]:.*$/gm, '')
    .replace(/<?https?:\/\/[^\s<>«»،؛)\]]{1,2000}>?/gi, (address) =>
      known.has(address.replace(/^<|>$/g, '')) ? address : '',
    )
}

export const sentencesOf = (judged: readonly CheckedPiece[]) =>
  judged.filter((piece) => piece.kind === 'sentence')
