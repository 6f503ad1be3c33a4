import { requirePrompt } from '#core/calls'
import type { PaidTurn } from '#core/inference'
import { payForTurn, requireEffort, respondJson, textModel } from '#core/text'
import type { AnswerPart, Bill, Turn } from '#core/turn'
import { fail } from '#platform/errors'
import type { PushReply, RequestContext } from '#platform/http'
import type { StudioApp } from './app.ts'
import { executionOf } from './execution.ts'
import { firstCharacters } from './first-characters.ts'
import { reasons } from './phrases.ts'
import { CitedPages } from './research.ts'
import { maxTextLength, type TextBody } from './schema.ts'

const standardOutputTokens = 2_048
/** The most UTF-16 units of an answer: a character has at most two. */
const maxUnits = 2 * maxTextLength

/** Answers a prompt with text. First the request is checked, then the worst case is held, then the upstream is called. */
export async function writeText(context: RequestContext<StudioApp, TextBody>): Promise<PushReply> {
  const { app, caller, body } = context
  const model = textModel(app, caller, body.model ?? app.models.studio.text[body.preset ?? 'balanced'].id)
  requireEffort(model, body.reasoningEffort, 'reasoningEffort')
  const turn = turnOf(body)
  const paid = await payForTurn(context, { model, turn, showsReasoning: false, endpoint: '/v1/studio/text' })
  return respondJson(context, paid, new StudioText(context, paid))
}

const turnOf = ({ prompt, reasoningEffort, maxOutputTokens = standardOutputTokens }: TextBody): Turn => ({
  messages: [
    { role: 'user', content: [{ type: 'text', text: requirePrompt(prompt, reasons.nothingToWrite) }] },
  ],
  tools: [],
  toolChoice: { type: 'auto' },
  output: { type: 'text' },
  requestedOutputTokens: maxOutputTokens,
  maxOutputTokens: 0,
  stop: [],
  ...(reasoningEffort !== undefined && { reasoning: { enabled: true, effort: reasoningEffort } }),
  stream: false,
  source: { wire: 'chat' },
})

/** Collects the text, or the model's refusal, up to the contract's bound. */
class StudioText {
  readonly #context: RequestContext<StudioApp>
  readonly #paid: PaidTurn
  readonly #pages = new CitedPages()
  #text = ''

  constructor(context: RequestContext<StudioApp>, paid: PaidTurn) {
    this.#context = context
    this.#paid = paid
  }

  add(part: AnswerPart): void {
    if (part.type === 'citation') this.#pages.add(part.citation)
    if ((part.type === 'text' || part.type === 'refusal') && this.#text.length < maxUnits)
      this.#text += part.text
  }

  body({ usage, microcredits }: Bill): unknown {
    const { model, maxOutputTokens } = this.#paid
    const text = firstCharacters(this.#text, maxTextLength).toWellFormed()
    if (text === '') fail('NO_TEXT_WRITTEN', { model: model.id, maxOutputTokens })
    const execution = executionOf(this.#context, { model, tokens: usage, microcredits })
    return { text, execution, ...this.#pages.research }
  }
}
