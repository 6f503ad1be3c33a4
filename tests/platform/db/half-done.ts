/**
 * What the recorder of a database and the test that upgrades it share: the configuration, the upstream that knows every prompt of it, and
 * the prices by which both count on their own.
 */
import { type FakeUpstream, fakeUpstream, type UpstreamCall } from '../../harness/upstream.ts'

/** Prompts that say so are never answered while the database is recorded, so that its process dies in their call. */
const unanswered = 'never answered'

export const prompts = {
  chat: `A question that is ${unanswered}.`,
  /** Of which the first that is asked is answered. */
  rows: ['one', 'two', 'three'].map((row) => `A row of a batch that is half done, number ${row}.`),
  finished: 'A program that is finished.',
  document: `A guide whose first section is ${unanswered}.`,
  code: `A program whose first file is ${unanswered}.`,
  research: `ارسال کالا چند روز طول می‌کشد؟ (${unanswered})`,
  data: `How many people are there? The summary is ${unanswered}.\n\ncity,people\nTehran,9\nShiraz,2\nTabriz,4\n`,
  queued: 'A guide that nobody has begun.',
}

/** One row of a batch after the other, so that a batch is half done. Nothing is answered late by itself. */
export const configuration = (upstream: string): string => `
providers:
  - id: fake
    base_url: ${upstream}
    api_key: upstream-secret
    dialects: [chat]
    timeouts: { first_byte_ms: 300000, first_token_ms: 300000, idle_ms: 300000, total_ms: 600000 }
models:
  - id: test/model
    deployments: [{ provider: fake, model: upstream-model }]
    context_length: 128000
    max_output_tokens: 16384
    features: [tools, json_schema]
    pricing: { input_per_million: 1.0, output_per_million: 2.0 }
batches: { rows_per_account: 1 }
defaults: { text_model: test/model, credits_per_usd: 1000, markup: 1.0 }
`

/** What a call costs by these prices, in micro-credits: a thousand for a token that was read, two thousand for one that was written. */
export const costOf = (call: { prompt_tokens: number; completion_tokens: number }): bigint =>
  BigInt(call.prompt_tokens) * 1_000n + BigInt(call.completion_tokens) * 2_000n

const answers: [mark: string, text: string][] = [
  [
    'Plan this document',
    '{"title":"The guide","sections":[{"heading":"Alpha","brief":"the start"},{"heading":"Beta","brief":"the end"}]}',
  ],
  ['Write the section «Alpha»', 'Alpha comes first.'],
  ['Write the section «Beta»', 'Beta comes second.'],
  [
    'Plan this project',
    '{"name":"Words","description":"Counts words.","files":[{"path":"one.txt","purpose":"the first"},{"path":"two.txt","purpose":"the second"}]}',
  ],
  ['Write the file one.txt', '```\nthe first file\n```'],
  ['Write the file two.txt', '```\nthe second file\n```'],
  ['Write README.md', '# Words\n\nCounts words.'],
  [
    'Plan the research',
    JSON.stringify({ title: 'ارسال', questions: [`ارسال کالا چند روز؟ ${unanswered}`], queries: [] }),
  ],
  ['Note what this source says', '- ارسال کالا سه تا پنج روز کاری طول می‌کشد.'],
  ['Plan the report', '{"title":"ارسال","sections":[{"heading":"زمان","brief":"چند روز"}]}'],
  ['Write the section «زمان»', 'ارسال کالا سه تا پنج روز کاری طول می‌کشد [1].'],
  [
    'Judge each sentence',
    '{"checks":[{"id":1,"verdict":"supported","source":1,"quote":"ارسال کالا سه تا پنج روز کاری"}]}',
  ],
  [
    'Say what is to be computed',
    '{"views":[{"title":"People","by":"city","measure":"sum","column":"people","chart":"bar"}]}',
  ],
  ['Write what these figures mean', 'The table is small.'],
  // The summary of a report.
  ['Write «', 'ارسال کالا سه تا پنج روز کاری طول می‌کشد [1].'],
]
/** First steps, which are answered while the database is recorded. */
const plans = ['Plan this document', 'Plan this project', 'Plan the research', 'Say what is to be computed']

export interface KnownUpstream extends AsyncDisposable {
  url: string
  /** Every call: what it was for (`prompts` and the mark of the order, or the prompt itself), and the tokens of its answer. */
  asked(): { what: string; prompt_tokens: number; completion_tokens: number }[]
}

/** Answers every prompt by what it orders; while `isRecording`, not those that stay unanswered. Plans of durable work are always answered. */
export async function knownUpstream(isRecording: boolean): Promise<KnownUpstream> {
  const upstream: FakeUpstream = await fakeUpstream()
  let rowsAsked = 0
  upstream.reply((call) => {
    const { text, task, order } = read(call)
    const isLaterRow = prompts.rows.includes(task) && rowsAsked++ > 0
    const isUnanswered = text.includes(unanswered) && !plans.includes(order?.[0] ?? '')
    if (isRecording && (isLaterRow || isUnanswered)) return { kind: 'silence' }
    return { kind: 'answer', text: order?.[1] ?? 'An answer of five words.' }
  })
  return {
    url: upstream.url,
    asked: () => upstream.calls.map((call) => ({ what: read(call).what, ...call.usage })),
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

function read({ body }: UpstreamCall) {
  const text = JSON.stringify(body?.['messages'] ?? '')
  const order = answers.find(([mark]) => text.includes(mark))
  const prompt = Object.values(prompts)
    .flat()
    .find((one) => text.includes(JSON.stringify(one).slice(1, -1)))
  const task = prompt ?? 'something else'
  return { text, task, order, what: [task, ...(order ? [order[0]] : [])].join(' ') }
}
