/** Talk: conversations of a person. */
import { hash } from 'node:crypto'
import type { Recorder } from './recorder.ts'
import { type SignedIn, signIn } from './session.ts'
import type { Site } from './site.ts'

const conversation = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c01'
const question = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c02'
const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'

export async function askTalk(recorder: Recorder, site: Site): Promise<void> {
  const sara = await signIn(site)
  await insertConversation(site, sara)
  const path = '/v1/talk/conversations'
  const ask = (name: string, method: string, target: string, json?: object) =>
    recorder.ask(`talk: ${name}`, method, target, { ...sara, ...(json && { json }) })
  await ask('list', 'GET', `${path}?limit=1`)
  await ask('from a cursor that is none', 'GET', `${path}?cursor=x`)
  await ask('search', 'GET', `${path}?q=${encodeURIComponent('شيراز')}`)
  await ask('read', 'GET', `${path}/${conversation}`)
  await ask('read before the first', 'GET', `${path}/${conversation}?before=${question}`)
  await ask('read one that there is not', 'GET', `${path}/${missing}`)
  await ask('rename and pin', 'PATCH', `${path}/${conversation}`, { title: 'سفر', pinned: true })
  await ask('show a branch that there is not', 'PATCH', `${path}/${conversation}`, { leaf_id: missing })
  await ask('delete', 'DELETE', `${path}/${conversation}`)
  await ask('delete again', 'DELETE', `${path}/${conversation}`)
  await ask('delete all', 'DELETE', path)
}

/** A conversation of one question, as the store writes it. */
async function insertConversation({ db, secret }: Site, { personId }: SignedIn): Promise<void> {
  const of = `select account_id, project_id, $2::uuid as conversation, $3::uuid as message, $4::uuid as person, now() as at
    from auth.keys where hash = $1`
  const values = [hash('sha256', secret, 'buffer'), conversation, question, personId]
  await db.query(
    `with of as (${of}), conversation as (
        insert into talk.conversations (account_id, conversation_id, project_id, person_id, first_words, model, leaf_id, messages, created_at, updated_at)
        select account_id, conversation, project_id, person, 'سفر به شیراز', 'sandbox/fast', message, 1, at, at from of
      ), message as (
        insert into talk.messages (account_id, message_id, conversation_id, depth, role, state, created_at, ended_at)
        select account_id, message, conversation, 0, 'user', 'complete', at, at from of
      )
      insert into talk.parts (account_id, message_id, ordinal, kind, body, characters)
      select account_id, message, 0, 'text', 'سفر به شیراز', 12 from of`,
    values,
  )
}
