/** What is kept: knowledge, files, webhooks. */
import type { Body, Recorder } from './recorder.ts'
import type { Site } from './site.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

export async function askKnowledge(recorder: Recorder): Promise<void> {
  const path = '/v1/knowledge'
  const json = { name: 'قوانین شرکت', instructions: 'فقط از همین متن‌ها.' }
  const { id } = await recorder.ask('knowledge: create', 'POST', path, {
    json,
    headers: keyed('knowledge-1'),
  })
  await recorder.ask('knowledge: create again', 'POST', path, { json, headers: keyed('knowledge-1') })
  const sources = `${path}/${id}/sources`
  const added: Body[] = []
  for (const [name, source] of Object.entries(texts))
    added.push(
      await recorder.ask(`knowledge: add ${name}`, 'POST', sources, {
        json: source,
        headers: keyed(`source-${name}`),
      }),
    )
  for (const { id: source } of added)
    await recorder.until(
      `${sources}/${source}`,
      ({ state, vectors }) => state !== 'queued' && vectors?.state !== 'queued',
    )
  await recorder.ask('knowledge: add no PDF', 'POST', sources, { json: { type: 'pdf', data: 'AAAA' } })
  await recorder.ask('knowledge: sources', 'GET', `${sources}?limit=1`)
  await recorder.ask('knowledge: read source', 'GET', `${sources}/${added[0].id}`)
  for (const query of ['ارسال کالا چند روز طول می‌کشد؟', '"refund"', 'zebra'])
    await recorder.ask(`knowledge: search ${query}`, 'POST', `${path}/${id}/search`, {
      json: { query, limit: 3 },
    })
  await recorder.ask('knowledge: embed', 'POST', `${path}/${id}/embed`)
  await recorder.until(`${path}/${id}`, ({ vectors }) => vectors?.state !== 'queued')
  await recorder.ask('knowledge: change', 'PATCH', `${path}/${id}`, { json: { name: 'قوانین تازه' } })
  await recorder.ask('knowledge: read', 'GET', `${path}/${id}`)
  await recorder.ask('knowledge: list', 'GET', path)
  await recorder.ask('knowledge: delete source', 'DELETE', `${sources}/${added[1].id}`)
  await recorder.ask('knowledge: a question over it', 'POST', '/v1/agents', {
    json: { name: 'فروشگاه', instructions: 'کوتاه.', knowledge_id: id, model: 'sandbox/fast' },
  })
  const other = await recorder.ask('knowledge: create another', 'POST', path, { json: { name: 'other' } })
  await recorder.ask('knowledge: delete', 'DELETE', `${path}/${other.id}`)
  await recorder.ask('knowledge: delete again', 'DELETE', `${path}/${other.id}`)
}

const texts = {
  shipping: {
    type: 'text',
    title: 'ارسال',
    text: 'ارسال کالا سه تا پنج روز کاری طول می‌کشد. هزینه با خریدار است.',
  },
  refunds: { type: 'text', text: 'A refund is paid within ten days after the goods have come back.' },
}

export async function askFiles(recorder: Recorder): Promise<void> {
  const path = '/v1/files'
  const json = {
    data: Buffer.from('city,people\nتهران,9\nشیراز,2\n').toString('base64'),
    name: 'شهرها.csv',
    media_type: 'text/csv',
  }
  const { id } = await recorder.ask('files: upload', 'POST', path, { json, headers: keyed('file-1') })
  await recorder.ask('files: upload again', 'POST', path, { json, headers: keyed('file-1') })
  const form = new FormData()
  form.set('file', new Blob(['plain text']), 'note.txt')
  await recorder.ask('files: upload a form', 'POST', path, { raw: { type: '', body: form } })
  await recorder.ask('files: one that expires', 'POST', path, {
    json: { ...json, purpose: 'user_data', expires_after: { anchor: 'created_at', seconds: 3_600 } },
  })
  await recorder.ask('files: one that expires too soon', 'POST', path, {
    json: { ...json, expires_after: { anchor: 'created_at', seconds: 60 } },
  })
  await recorder.ask('files: what it is not', 'POST', path, { json: { ...json, media_type: 'image/png' } })
  await recorder.ask('files: list', 'GET', path)
  await recorder.ask('files: a page', 'GET', `${path}?limit=1`)
  await recorder.ask('files: read', 'GET', `${path}/${id}`)
  await recorder.ask('files: read as OpenAI’s clients do', 'GET', `${path}/${id}/content`)
  await recorder.ask('files: a range', 'GET', `${path}/${id}`, { headers: { range: 'bytes=2-5' } })
  await recorder.ask('files: a range beyond', 'GET', `${path}/${id}`, { headers: { range: 'bytes=5000-' } })
  const { url } = await recorder.ask('files: a link', 'POST', `${path}/${id}/links`, { json: {} })
  await recorder.ask('files: a long link', 'POST', `${path}/${id}/links`, { json: { expires_in: 86_401 } })
  const { pathname: linked } = new URL(url)
  await recorder.ask('files: by its link', 'GET', linked, { secret: null })
  await recorder.ask('files: by a forged link', 'GET', linked.replace(/.$/, '!'), { secret: null })
  await recorder.ask('files: delete', 'DELETE', `${path}/${id}`)
  await recorder.ask('files: by a link to what was deleted', 'GET', linked, { secret: null })
  await recorder.ask('files: read what was deleted', 'GET', `${path}/${id}`)
}

export async function askWebhooks(recorder: Recorder, { receiver }: Site): Promise<void> {
  const path = '/v1/webhooks'
  const json = { url: `${receiver.url}/takes`, events: ['batch.completed', 'budget.threshold'] }
  const { id } = await recorder.ask('webhooks: create', 'POST', path, { json, headers: keyed('hook-1') })
  await recorder.ask('webhooks: create again', 'POST', path, { json, headers: keyed('hook-1') })
  await recorder.ask('webhooks: a private address', 'POST', path, {
    json: { ...json, url: 'https://10.0.0.1/' },
  })
  await recorder.ask('webhooks: no HTTPS', 'POST', path, { json: { ...json, url: 'http://example.com/' } })
  await recorder.ask('webhooks: list', 'GET', path)
  await recorder.ask('webhooks: read', 'GET', `${path}/${id}`)
  await recorder.ask('webhooks: test', 'POST', `${path}/${id}/test`)
  const deliveries = `${path}/deliveries?webhook_id=${id}`
  const { data } = await recorder.until(deliveries, (body) => body.data[0]?.status === 'delivered')
  await recorder.ask('webhooks: deliveries', 'GET', deliveries)
  await recorder.ask('webhooks: deliver again', 'POST', `${path}/deliveries/${data[0].id}/redeliver`)
  await recorder.until(
    deliveries,
    (body) => body.data.every(({ status }: Body) => status === 'delivered') && receiver.got.length > 1,
  )
  await recorder.ask('webhooks: new secret', 'POST', `${path}/${id}/rotate-secret`)
  await recorder.ask('webhooks: change', 'PATCH', `${path}/${id}`, { json: { events: ['batch.completed'] } })
  const other = await recorder.ask('webhooks: one that refuses', 'POST', path, {
    json: { ...json, url: `${receiver.url}/refuses` },
  })
  await recorder.ask('webhooks: test one that refuses', 'POST', `${path}/${other.id}/test`)
  await recorder.until(
    `${path}/deliveries?webhook_id=${other.id}`,
    (body) => body.data[0]?.status !== 'pending' || body.data[0]?.attempts?.length > 0,
  )
  await recorder.ask('webhooks: delete', 'DELETE', `${path}/${other.id}`)
  await recorder.ask('webhooks: read what was deleted', 'GET', `${path}/${other.id}`)
}
