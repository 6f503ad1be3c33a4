import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { cleanName } from '../../words/clean-name.ts'
import { Id, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './audit.module.css'
import { auditWords } from './audit.words.ts'
import { changedNames } from './diff.ts'
import { memberWords } from './members.words.ts'
import { operationWords } from './operations.words.ts'

export type Entry = Reply<'GET /v1/audit'>['data'][number]

const isolated = (name: string): string => `\u2068${cleanName(name)}\u2069`

/** Who it was, in words that stand in a sentence. */
export function useActorName(): (actor: Entry['actor']) => string {
  const words = useWords(auditWords)
  return ({ kind, name, deleted }) => {
    if (kind === 'operator' || kind === 'system') return words[kind]
    if (kind === 'management_key') return words.management_key(isolated(name ?? ''))
    if (kind === 'key') return name === null ? words.unnamedKey : words.key(isolated(name))
    if (deleted) return words.deleted
    return name === null ? words.person : isolated(name)
  }
}

/** Who did what, and to what. */
export function Sentence({ of }: { of: Entry }): ReactNode {
  const words = useWords(auditWords)
  const locale = useLocale()
  const actorName = useActorName()
  return (
    <>
      <strong>{actorName(of.actor)}</strong> {operationWords[locale][of.operation] ?? words.other}
      <Target of={of} />
    </>
  )
}

/** What it was done to, by its name or by what the change says of it; the account is the one of the page. */
function Target({ of }: { of: Entry }): ReactNode {
  const { target } = of
  if (target === null || target.kind === 'account' || target.id === of.actor.id) return null
  const name = target.name ?? sayingMember(of)
  return (
    <span className={styles['target']}>
      {' · '}
      {name === undefined ? <Id title={target.id}>{shortened(target.id)}</Id> : <Name>{name}</Name>}
    </span>
  )
}

/** Members that tell people what a thing is, better than its id. */
const saying = ['name', 'email', 'url', 'domain', 'slug'] as const

function sayingMember({ before, after }: Entry): string | undefined {
  const values = [after, before].flatMap((side) => saying.map((name) => side?.[name]))
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}

const mostNamed = 3

/** What became another value, in words; nothing of what was made or removed. */
export function ChangedMembers({ of: { before, after } }: { of: Entry }): ReactNode {
  const members = useWords(memberWords)
  const names = changedNames(before, after).map((name) => members[name] ?? name)
  return [...names.slice(0, mostNamed), ...(names.length > mostNamed ? ['…'] : [])].join(' · ')
}

/** The end of a long id, which differs where ids of one day begin alike. */
export const shortened = (id: string): string => (id.length <= 20 ? id : `…${id.slice(-12)}`)
