/**
 * Of every route with a name in its path: before what succeeds is sent, another account and another project of the own account send it, and
 * are told what they are told of a thing that there is not. Of every list that has something: they see nothing of it.
 */
import { expect } from 'vitest'
import { type Operation, operationFor } from '../../../scripts/answers/document.ts'
import {
  type Body,
  type RawAnswer,
  Recorder,
  type RequestOptions,
} from '../../../scripts/answers/recorder.ts'
import type { Site } from '../../../scripts/answers/site.ts'

/** What is the same for everybody. */
const ofEverybody = new Set([
  'GET /v1/models',
  'GET /v1/models/{model}',
  'GET /v1/videos/models',
  'GET /v1/audio/voices',
])
/** Sums, and a socket, which name nothing; and a table in bytes, whose rows are looked at in tests/account/requests.test.ts. */
const listless = new Set([
  'GET /v1/balance',
  'GET /v1/usage',
  'GET /v1/account/usage',
  'GET /v1/account/usage/export',
  'GET /v1/requests/export',
  'GET /v1/realtime',
])

/** What belongs to an account, whichever of its projects began it. */
const isOfAccount = ({ path }: Operation): boolean => path.startsWith('/v1/realtime/calls')

export class HidingRecorder extends Recorder {
  readonly #cli: Site['cli']
  readonly #hidden = new Set<string>()
  #others: Promise<string[]> | undefined
  #last: RawAnswer | undefined

  constructor({ url, secret, cli }: Site, operations: readonly Operation[]) {
    super(url, secret, operations)
    this.#cli = cli
  }

  override async send(method: string, target: string, options: RequestOptions): Promise<RawAnswer> {
    this.#last = await super.send(method, target, options)
    return this.#last
  }

  override async ask(
    name: string,
    method: string,
    target: string,
    options: RequestOptions = {},
  ): Promise<Body> {
    const operation = operationFor(this.operations, method, target)
    const isKnown = !operation || this.#hidden.has(operation.name) || !this.#isOwn(operation)
    if (isKnown || options.secret !== undefined) return super.ask(name, method, target, options)
    const asOthers = (at: string) => this.#asOthers(operation, at, options)
    const seen = isNamed(operation) ? await this.#unchanged(name, operation, target, asOthers) : []
    const body = await super.ask(name, method, target, options)
    if (this.#last!.status >= 300) return body
    if (isNamed(operation)) {
      const missing = await asOthers(missingIn(operation, target))
      for (const [at, answer] of seen.entries()) {
        expect([name, answer.status]).toEqual([name, 404])
        expect([name, shownBy(answer)]).toEqual([name, shownBy(missing[at]!)])
      }
    } else {
      const ids = idsIn(body)
      if (ids.length === 0) return body
      for (const { status, bytes } of await asOthers(target)) {
        expect([name, status]).toEqual([name, 200])
        for (const id of ids) expect([name, bytes.includes(id)]).toEqual([name, false])
      }
    }
    this.#hidden.add(operation.name)
    return body
  }

  async #asOthers(operation: Operation, target: string, options: RequestOptions): Promise<RawAnswer[]> {
    this.#others ??= openOthers(this.#cli)
    const [account, project] = await this.#others
    const answers: RawAnswer[] = []
    for (const secret of isOfAccount(operation) ? [account!] : [account!, project!])
      answers.push(await super.send(operation.method, target, { ...options, secret }))
    return answers
  }

  /** The answers to others. What they would change is as it was; what they would delete is there for the request that follows. */
  async #unchanged(
    name: string,
    { method }: Operation,
    target: string,
    asOthers: (at: string) => Promise<RawAnswer[]>,
  ): Promise<RawAnswer[]> {
    if (method !== 'PATCH') return asOthers(target)
    const read = async () => (await super.send('GET', target, {})).bytes.toString()
    const before = await read()
    const answers = await asOthers(target)
    expect([name, await read()]).toEqual([name, before])
    return answers
  }

  /** Routes with a name in their path, and lists, of which others asked nothing that there is. */
  unhidden(): string[] {
    return this.operations
      .filter((operation) => this.#isOwn(operation) && !listless.has(operation.name))
      .filter(({ name }) => !this.#hidden.has(name))
      .map(({ name }) => `nothing hidden of ${name}`)
  }

  /** What people see of others has tests of its own: the requests of others have keys. */
  #isOwn({ name, method, path, isPublic, isOfPeople }: Operation): boolean {
    return !isPublic && !isOfPeople && !ofEverybody.has(name) && (path.includes('{') || method === 'GET')
  }
}

const isNamed = ({ path }: Operation): boolean => path.includes('{')

/** Another account, and another project of the account that has everything, with keys that may do all. */
async function openOthers(cli: Site['cli']): Promise<string[]> {
  const projects: Body = await cli('project', 'list')
  const own = (projects.data ?? projects).find((one: Body) => one.name !== 'poor')
  const account: Body = await cli('account', 'create', '--name', 'stranger', '--credits', '100')
  const secrets: string[] = []
  for (const id of [account.account_id ?? account.id, own.account_id]) {
    const project: Body = await cli('project', 'create', '--account', id, '--name', 'elsewhere')
    const of = ['--project', project.project_id ?? project.id]
    const key: Body = await cli('key', 'create', ...of, '--name', 'elsewhere', '--scopes', 'all')
    secrets.push(key.secret)
  }
  return secrets
}

/** The same request of things that there are not. */
function missingIn({ path }: Operation, target: string): string {
  const [pathname, query] = target.split('?')
  const segments = pathname!.split('/')
  const parts = path.split('/').map((part, at) => (part.startsWith('{') ? missingLike(segments[at]!) : part))
  return parts.join('/') + (query === undefined ? '' : `?${query}`)
}

/** An id of the same form. */
const missingLike = (id: string): string =>
  id.replace(/[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/, (found) =>
    found.includes('-') ? missing : missing.replaceAll('-', ''),
  )
const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'

const idsIn = (body: Body): string[] =>
  (Array.isArray(body?.data) ? body.data : []).flatMap(({ id }: Body) => (typeof id === 'string' ? [id] : []))

/** All that an answer tells, but its own id and time. */
function shownBy({ status, headers, bytes }: RawAnswer) {
  const id = headers.get('x-request-id')!
  return { status, text: bytes.toString().replaceAll(id, ''), headers: [...headers.keys()] }
}
