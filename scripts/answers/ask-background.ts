/** Agents, and durable work of every kind. */
import type { Body, Recorder } from './recorder.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })
const ended = ({ status }: Body) => ['succeeded', 'failed', 'cancelled'].includes(status)
const table = 'city,people\nتهران,9\nشیراز,2\nتبریز,1.5\n'

export async function askAgents(recorder: Recorder): Promise<void> {
  const path = '/v1/agents'
  const json = { name: 'پشتیبانی', instructions: 'کوتاه و مؤدبانه پاسخ بده.', model: 'sandbox/fast' }
  const { id } = await recorder.ask('agents: create', 'POST', path, { json, headers: keyed('agent-1') })
  await recorder.ask('agents: create again', 'POST', path, { json, headers: keyed('agent-1') })
  await recorder.ask('agents: list', 'GET', path)
  await recorder.ask('agents: change', 'PATCH', `${path}/${id}`, { json: { instructions: 'بلند پاسخ بده.' } })
  await recorder.ask('agents: read', 'GET', `${path}/${id}`)
  const run = (what: string, body: Body, headers: Record<string, string> = {}) =>
    recorder.ask(`agents: ${what}`, 'POST', `${path}/${id}/runs`, { json: body, headers })
  await run('run', { input: 'سلام!' }, keyed('agent-run-1'))
  await run('run again', { input: 'سلام!' }, keyed('agent-run-1'))
  await run('run, streamed', { input: 'سلام!', stream: true })
  await run('run, with reasoning', { input: 'سلام!', include_reasoning: true, reasoning_effort: 'low' })
  const worker = await recorder.ask('agents: create one that works', 'POST', path, {
    json: { ...json, kind: 'data' },
  })
  const accepted = await recorder.ask('agents: run one that works', 'POST', `${path}/${worker.id}/runs`, {
    json: { input: `Analyse: ${table}` },
  })
  await recorder.until(`/v1/work/${accepted.id}`, ended)
  await recorder.ask('agents: what it has made', 'GET', `/v1/work/${accepted.id}`)
  await recorder.ask('agents: delete', 'DELETE', `${path}/${id}`)
  await run('run what was deleted', { input: 'سلام!' })
}

const inputs = {
  document: 'راهنمای کوتاه راه‌اندازی کتابخانهٔ محله با جدول هزینه‌ها',
  data: `این داده‌ها را تحلیل کن و نمودار بکش:\n${table}`,
  code: 'یک برنامهٔ کوچک جاوااسکریپت که تاریخ امروز را به شمسی چاپ کند',
  research: 'وضعیت نرخ ارز در ایران و چشم‌انداز پنج سال آینده',
}

export async function askWork(recorder: Recorder): Promise<void> {
  const path = '/v1/work'
  for (const [kind, input] of Object.entries(inputs)) {
    const options = { json: { kind, input, title: `کار ${kind}` }, headers: keyed(`work-${kind}`) }
    const { id } = await recorder.ask(`work: ${kind}`, 'POST', path, options)
    const { files } = await recorder.until(`${path}/${id}`, ended)
    await recorder.ask(`work: ${kind} again`, 'POST', path, options)
    await recorder.ask(`work: ${kind}, read`, 'GET', `${path}/${id}`)
    await recorder.ask(`work: ${kind}, read in Persian`, 'GET', `${path}/${id}`, {
      headers: { 'accept-language': 'fa' },
    })
    await recorder.ask(`work: ${kind}, events`, 'GET', `${path}/${id}/events`)
    await recorder.ask(`work: ${kind}, files`, 'GET', `${path}/${id}/files`)
    for (const file of files ?? [])
      await recorder.ask(
        `work: ${kind}, ${file.path ?? file}`,
        'GET',
        `${path}/${id}/files?path=${encodeURIComponent(file.path ?? file)}`,
      )
    await recorder.ask(`work: ${kind}, bundle`, 'GET', `${path}/${id}/files?bundle=1`)
    await recorder.ask(`work: ${kind}, no such file`, 'GET', `${path}/${id}/files?path=nothing`)
    await recorder.ask(`work: ${kind}, cancel what has ended`, 'POST', `${path}/${id}/cancel`)
  }
  await recorder.ask('work: list', 'GET', path)
  const slow = await recorder.ask('work: a slow one', 'POST', path, {
    json: { kind: 'document', input: '[[sandbox: first_token_ms=60000]] یک سند کوتاه بنویس' },
  })
  await recorder.until(`${path}/${slow.id}`, ({ status }) => status === 'running')
  await recorder.ask('work: cancel', 'POST', `${path}/${slow.id}/cancel`)
  await recorder.until(`${path}/${slow.id}`, ended)
  await recorder.ask('work: read what was cancelled', 'GET', `${path}/${slow.id}`)
}
