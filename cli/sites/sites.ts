/** `kherad site …`: publishes a folder on a running server, and manages published sites. */
import type { Language } from '#platform/errors'
import {
  type BilingualText,
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuseUsage,
  type Session,
} from '../command.ts'
import { wholeNumber } from '../media/studio/inputs.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { connection } from '../server/phrases.ts'
import { requestRecord } from '../server/records.ts'
import { plain, serverOf } from '../server.ts'
import {
  allSites,
  type Domain,
  pathOf,
  requireSite,
  type Site,
  type SiteDetail,
  type Version,
} from './api.ts'
import { siteOptions, sitePhrases as words } from './phrases.ts'
import { publishFolder } from './publish.ts'

const common = { options: connection, needs: [], help: siteOptions }

export const siteCommands: Command[] = [
  {
    ...common,
    name: 'site publish',
    about: words.publish,
    takes: ['FOLDER'],
    options: ['name', 'slug', 'site', 'cloud', 'timeout', ...connection],
    flags: ['public', 'spa', 'no-spa'],
    run: publish,
  },
  { ...common, name: 'site list', about: words.list, takes: [], run: list },
  { ...common, name: 'site show', about: words.show, takes: ['SITE'], run: show },
  {
    ...common,
    name: 'site rollback',
    about: words.rollback,
    takes: ['SITE'],
    options: ['to', ...connection],
    run: rollback,
  },
  {
    ...common,
    name: 'site domain',
    about: words.domain,
    takes: ['SITE'],
    mayTake: ['DOMAIN'],
    flags: ['check', 'remove'],
    run: domain,
  },
  {
    ...common,
    name: 'site delete',
    about: words.delete,
    takes: ['SITE'],
    options: ['confirm', ...connection],
    needs: ['confirm'],
    run: remove,
  },
]

async function publish(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const site = await publishFolder(session, await serverOf(session, given), given)
  const { name, version, files, bytes } = site
  session.notify(words.done(plain(name), version, files, bytes)[session.language])
  return { json: site, text: `${plain(site.url ?? site.domain)}\n` }
}

const stateOf = ({ status, taken_down }: Site): BilingualText =>
  words.states[taken_down ? 'takenDown' : status]

const siteColumns = (language: Language): TableColumn<Site>[] => [
  { title: words.columns.id, show: ({ id }) => plain(id) },
  { title: words.columns.name, show: ({ name }) => plain(name) },
  { title: words.columns.state, show: (site) => stateOf(site)[language] },
  { title: words.columns.url, show: ({ url }) => plain(url ?? '—') },
]

async function list(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const sites = await allSites(await serverOf(session, given))
  return { json: sites, text: table(sites, siteColumns(session.language), session.language) }
}

async function show(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const server = await serverOf(session, given)
  const site = await requestRecord<SiteDetail>(
    server,
    'GET',
    pathOf(await requireSite(server, given.words[0]!)),
  )
  const { usage } = site
  const used = (amount: number, max: number, say: (value: number) => BilingualText): string =>
    words.outOf(say(amount)[language], say(max)[language])[language]
  const columns: TableColumn<SiteDetail>[] = [
    ...(siteColumns(language) as TableColumn<SiteDetail>[]),
    { title: words.columns.requests, show: () => used(usage.requests, usage.max_requests, words.count) },
    { title: words.columns.sent, show: () => used(usage.bytes, usage.max_bytes, words.size) },
  ]
  const text = `${card(site, columns, language)}\n${table(site.versions, versionColumns(language), language)}`
  return { json: site, text }
}

const versionColumns = (language: Language): TableColumn<Version>[] => [
  { title: words.columns.version, show: ({ version }) => words.count(version)[language], numeric: true },
  {
    title: words.columns.state,
    show: ({ status, live }) => `${words.states[status][language]}${live ? ` ${words.live[language]}` : ''}`,
  },
  { title: words.columns.files, show: ({ files }) => words.count(files)[language], numeric: true },
  { title: words.columns.bytes, show: ({ bytes }) => words.size(bytes)[language], numeric: true },
  { title: words.columns.time, show: ({ created_at }) => showTime(new Date(created_at), language) },
  { title: words.columns.preview, show: ({ preview_url }) => plain(preview_url ?? '—') },
]

async function rollback(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const server = await serverOf(session, given)
  const { to } = given.options
  const body = to === undefined ? {} : { version: wholeNumber('--to', to, 1, 2_147_483_647) }
  const found = await requireSite(server, given.words[0]!)
  const site = await requestRecord<Site>(server, 'POST', pathOf(found, '/rollback'), { body })
  session.notify(words.wentBack(site.live?.version ?? site.version)[session.language])
  return { json: site, text: `${plain(site.url ?? site.domain)}\n` }
}

async function domain(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const server = await serverOf(session, given)
  const [typed, name] = given.words
  const [checks, removes] = [given.flags.includes('check'), given.flags.includes('remove')]
  if ((checks && removes) || ((checks || removes) && name === undefined)) refuseUsage(words.checkOrRemove())
  const site = await requireSite(server, typed!)
  const path = pathOf(site, '/domains')
  if (name === undefined) {
    const { data } = await requestRecord<{ data: Domain[] }>(server, 'GET', path)
    return { json: data, text: table(data, domainColumns(session.language), session.language) }
  }
  const one = `${path}/${encodeURIComponent(name)}`
  if (removes) {
    const gone = await requestRecord<{ domain: string }>(server, 'DELETE', one)
    return { json: gone, text: `${words.removed(plain(gone.domain))[session.language]}\n` }
  }
  const claimed = checks
    ? await requestRecord<Domain>(server, 'POST', `${one}/check`, { body: {} })
    : await requestRecord<Domain>(server, 'POST', path, { body: { domain: name } })
  return { json: claimed, text: shownDomain(claimed, session.language) }
}

function shownDomain({ display, state, record, target }: Domain, language: Language): string {
  const line = `${plain(display)}: ${words.states[state][language]}\n`
  return state === 'proven'
    ? line
    : line + words.record(plain(record.name), plain(record.value), plain(target))[language]
}

const domainColumns = (language: Language): TableColumn<Domain>[] => [
  { title: words.columns.domain, show: ({ display }) => plain(display) },
  { title: words.columns.state, show: ({ state }) => words.states[state][language] },
  { title: words.columns.record, show: ({ record }) => `${plain(record.name)} TXT "${plain(record.value)}"` },
]

async function remove(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const server = await serverOf(session, given)
  const site = await requireSite(server, given.words[0]!)
  const gone = await requestRecord<object>(server, 'DELETE', pathOf(site), {
    body: { confirm: given.options['confirm'] },
  })
  return { json: gone, text: `${words.deleted(plain(site.name))[session.language]}\n` }
}
