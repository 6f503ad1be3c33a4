/** Makes the first call of a key from the page, by the documented API with the key alone: no cookie goes along. */
import { locale } from '../../words/locale.ts'
import { type FirstCall, maxTokens } from './first-call.ts'

export interface Tried {
  status: number
  seconds: number
  /** Where the server named it; the receipt of a paid call has it as its id. */
  requestId: string | undefined
  /** What the answer says that it cost; undefined where it says nothing, as refusals and free calls. */
  microcredits: bigint | undefined
  /** What the model said, or the refusal in the words of the API. */
  text: string
}

/** Words for answers that are no text. */
interface TryWords {
  models(count: number, first: string): string
  balance(credits: number): string
  unreadable: string
}

interface Asked {
  secret: string
  message: string
  words: TryWords
}

/** Throws TypeError where the server cannot be reached; a refusal is a result like any other. */
export async function tryCall(call: FirstCall, { secret, message, words }: Asked): Promise<Tried> {
  const body = call.name === 'chat' && {
    model: call.model.id,
    max_tokens: maxTokens,
    messages: [{ role: 'user', content: message }],
  }
  const beganMs = performance.now()
  const response = await fetch(pathOf(call), {
    method: body ? 'POST' : 'GET',
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      authorization: `Bearer ${secret}`,
      'accept-language': locale(),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const value = readJson(await response.text())
  const cost = response.headers.get('x-microcredits')
  return {
    status: response.status,
    seconds: (performance.now() - beganMs) / 1_000,
    requestId: response.headers.get('x-request-id') ?? undefined,
    microcredits: cost === null || !/^\d+$/.test(cost) ? undefined : BigInt(cost),
    text: (response.ok ? saidIn(call, value, words) : refusalIn(value)) ?? words.unreadable,
  }
}

const pathOf = ({ name }: FirstCall): string =>
  name === 'chat' ? '/v1/chat/completions' : name === 'balance' ? '/v1/balance' : '/v1/models'

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Answers {
  choices?: { message?: { content?: unknown } }[]
  data?: { id?: unknown }[]
  balance_credits?: unknown
  error?: { message?: unknown }
}

function saidIn({ name }: FirstCall, value: unknown, words: TryWords): string | undefined {
  const answer = (value ?? {}) as Answers
  if (name === 'models' && Array.isArray(answer.data))
    return words.models(
      answer.data.length,
      answer.data
        .slice(0, 3)
        .map(({ id }) => `\u2068${String(id)}\u2069`)
        .join(' · '),
    )
  if (name === 'balance' && typeof answer.balance_credits === 'number')
    return words.balance(answer.balance_credits)
  return textOf(answer.choices?.[0]?.message?.content)
}

const refusalIn = (value: unknown): string | undefined => textOf(((value ?? {}) as Answers).error?.message)

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
