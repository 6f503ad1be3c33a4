/** Talk: messages of a person and their answers. */
import type { Recorder } from './recorder.ts'
import { signIn } from './session.ts'
import type { Site } from './site.ts'

const id = (last: string): string => `0198c1d2-7c3e-7a4b-9f10-5b2e6a7d9c${last}`
const missing = id('90')

export async function askTalkAnswers(recorder: Recorder, site: Site): Promise<void> {
  const sara = await signIn(site)
  const path = '/v1/talk/messages'
  const ask = (name: string, method: string, target: string, json?: object) =>
    recorder.ask(`talk: ${name}`, method, target, { ...sara, ...(json && { json }) })
  const parts = [{ type: 'text', text: 'سفر به شیراز' }]
  const message = { id: id('01'), conversation_id: id('02'), parent_id: null, model: 'sandbox/fast', parts }
  const sent = await ask('send', 'POST', path, message)
  await ask('send again', 'POST', path, message)
  await ask('send another under its id', 'POST', path, { ...message, model: 'sandbox/other' })
  await ask('read an answer', 'GET', `${path}/${sent.answer.id}/events`)
  await ask('read an answer that there is not', 'GET', `${path}/${missing}/events`)
  await ask('answer once more', 'POST', `${path}/${message.id}/answers`, { id: id('03') })
  await ask('answer an answer', 'POST', `${path}/${sent.answer.id}/answers`, { id: id('04') })
  await ask('read another answer', 'GET', `${path}/${id('03')}/events`)
  await ask('stop what has ended', 'POST', `${path}/${id('03')}/stop`)
  await ask('stop what there is not', 'POST', `${path}/${missing}/stop`)
  await ask('estimate', 'POST', '/v1/talk/estimate', { model: 'sandbox/fast', parts })
  await ask('estimate of no model', 'POST', '/v1/talk/estimate', { model: 'no/model', parts })
}
