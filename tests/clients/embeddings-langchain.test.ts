/** OpenAIEmbeddings of LangChain, with nothing set but model, key and address: it sends 512 texts at once. */
import { OpenAIEmbeddings } from '@langchain/openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { perToken, shareOnVectors, textsIn, tokensEach, type VectorsWorld } from '../work/vectors-world.ts'

let at: VectorsWorld
beforeAll(async () => {
  at = await shareOnVectors()
})
afterAll(() => at[Symbol.asyncDispose]())

const embeddings = (model: string) =>
  new OpenAIEmbeddings({
    model,
    apiKey: at.key.secret,
    maxRetries: 0,
    configuration: { baseURL: `${at.world.url}/v1` },
  })
const documents = Array.from({ length: 600 }, (_, index) => `${index % 2 === 0 ? 'cat' : 'loan'} ${index}`)

test('600 documents are two calls, whose texts go out in orders that the model takes, each paid once', async () => {
  const { available } = await at.world.balance()
  const vectors = await embeddings('test/near').embedDocuments(documents)
  expect(vectors).toEqual(documents.map((one) => (one.startsWith('cat') ? [1, 0, 0] : [0, 1, 0])))
  expect(at.upstream.calls.flatMap(textsIn).toSorted()).toEqual(documents.toSorted())
  expect(at.upstream.calls).toHaveLength(300)
  await at.world.settled()
  expect(available - (await at.world.balance()).available).toBe(BigInt(600 * tokensEach) * perToken)
  expect(await embeddings('test/near').embedQuery('a loan')).toEqual([0, 1, 0])
})

test('of the sandbox, too', async () => {
  const vectors = await embeddings('sandbox/embedding').embedDocuments(documents)
  expect(vectors).toHaveLength(600)
  expect(new Set(vectors.map(({ length }) => length))).toEqual(new Set([256]))
  expect(vectors[17]).toEqual(await embeddings('sandbox/embedding').embedQuery(documents[17]!))
})
