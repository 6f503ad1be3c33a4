/** Collections of an app back-end, and their rows. */
import type { Recorder } from './recorder.ts'

/** `at` is the path of a cloud that is ready. */
export async function askCollections(recorder: Recorder, at: string): Promise<void> {
  const act = (name: string, json: object, key?: string) =>
    recorder.ask(`collections: ${name}`, 'POST', `${at}/database`, {
      json,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  await act('create', { action: 'create_collection', name: 'todos', public_read: true }, 'collection-1')
  await act('create again', { action: 'create_collection', name: 'todos', public_read: true }, 'collection-1')
  await act('create one that is there', { action: 'create_collection', table: 'todos' })
  await act('SQL', { query: 'select 1' })
  const { id } = await act('insert', {
    action: 'insert',
    table: 'todos',
    data: { title: 'نان', done: false },
  })
  await act('update', { action: 'update', table: 'todos', id, data: { done: true } })
  await act('rows', { action: 'list', table: 'todos', offset: 0 })
  await act('close to others', { action: 'update', table: 'todos', public_read: false })
  await recorder.ask('collections: list', 'GET', `${at}/database`)
  await act('delete a row', { action: 'delete', table: 'todos', id })
  await act('delete it again', { action: 'delete', table: 'todos', id })
  await recorder.ask('collections: delete', 'DELETE', `${at}/collections/todos`)
  await recorder.ask('collections: delete again', 'DELETE', `${at}/collections/todos`)
}
