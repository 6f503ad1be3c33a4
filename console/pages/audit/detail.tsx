import type { ReactNode } from 'react'
import { LinkButton } from '../../pieces/button.tsx'
import { Note } from '../../pieces/card.tsx'
import { Table } from '../../pieces/table.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { cleanName } from '../../words/clean-name.ts'
import { formatClock, formatWeekday } from '../../words/dates.ts'
import { formatNumber, formatPercent } from '../../words/digits.ts'
import { Id, Ltr, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './audit.module.css'
import { auditWords } from './audit.words.ts'
import { type Difference, differences, type Shown, shownOf } from './diff.ts'
import { type Entry, useActorName } from './entry.tsx'
import { memberWords } from './members.words.ts'

/** All of an entry: what was there before and after, by which request, and the way to others of the same person or thing. */
export function Detail({ of }: { of: Entry }): ReactNode {
  return (
    <div className={styles['detail']}>
      <Values of={of} />
      <Facts of={of} />
      <Others of={of} />
    </div>
  )
}

function Values({ of: { before, after } }: { of: Entry }): ReactNode {
  const words = useWords(auditWords)
  const members = useWords(memberWords)
  const found = differences(before, after)
  if (before === null && after === null) return <Note>{words.noValues}</Note>
  if (found.length === 0) return <Note>{words.noDifference}</Note>
  const nameOf = (name: string): ReactNode => members[name] ?? <Id>{name}</Id>
  const columns = [
    { name: 'member', title: words.member, cell: ({ name }: Difference) => nameOf(name) },
    ...(['before', 'after'] as const)
      // Of what was made there is no before, and of what was removed no after.
      .filter((side) => (side === 'before' ? before : after) !== null)
      .map((side) => ({
        name: side,
        title: words[side],
        cell: (one: Difference) => <ShownValue value={shownOf(one.name, one[side])} />,
      })),
  ]
  return (
    <Table<Difference>
      label={words.values}
      hasCards
      rows={found}
      keyOf={({ name }) => name}
      columns={columns}
    />
  )
}

function ShownValue({ value }: { value: Shown }): ReactNode {
  const words = useWords(auditWords)
  const locale = useLocale()
  switch (value.kind) {
    case 'absent':
      return null
    case 'nothing':
      return words.nothing
    case 'yes':
    case 'no':
      return words[value.kind]
    case 'number':
      return <bdi>{formatNumber(locale, value.value)}</bdi>
    case 'credits':
      return words.credits(formatNumber(locale, value.value, { most: 6 }))
    case 'percent':
      return <bdi>{formatPercent(locale, value.value / 100)}</bdi>
    case 'moment':
      return <Full at={value.at} />
    case 'id':
      return <Id>{cleanName(value.text)}</Id>
    case 'text':
      return <Name>{value.text}</Name>
    default:
      return (
        <span className={styles['value']}>
          {value.items.map((item, at) => (
            // A list may have a value twice, and never changes its order here.
            <span key={`${at}`}>
              <ShownValue value={item} />
            </span>
          ))}
        </span>
      )
  }
}

/** A whole moment, by the clock of Tehran. */
function Full({ at }: { at: string }): ReactNode {
  const words = useWords(auditWords)
  const locale = useLocale()
  const moment = new Date(at)
  const zone = { timeZone: 'Asia/Tehran' }
  return (
    <time dateTime={at}>
      {words.fullMoment(formatWeekday(locale, moment, zone), formatClock(locale, moment, zone))}
    </time>
  )
}

function Facts({ of }: { of: Entry }): ReactNode {
  const words = useWords(auditWords)
  const facts = [
    [words.moment, <Full key="moment" at={of.at} />],
    [words.operation, <Id key="operation">{of.operation}</Id>],
    of.target !== null && [words.target, <Id key="target">{cleanName(of.target.id)}</Id>],
    of.request_id !== null && [words.requestId, <Id key="request">{of.request_id}</Id>],
    of.client !== null && [words.client, <Ltr key="client">{cleanName(of.client)}</Ltr>],
  ].filter((fact) => fact !== false)
  return (
    <dl className={styles['facts']}>
      {facts.map(([title, value]) => (
        <div key={String(title)} className={styles['line']}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Others({ of: { actor, target } }: { of: Entry }): ReactNode {
  const words = useWords(auditWords)
  const address = useAddress()
  const actorName = useActorName()
  const stay = { after: undefined, open: undefined }
  return (
    <div className={styles['only']}>
      {actor.id !== null && (
        <LinkButton onClick={() => address.go({ ...stay, actor: actor.id ?? undefined })}>
          {words.onlyActor(actorName(actor))}
        </LinkButton>
      )}
      {target !== null && (
        <LinkButton onClick={() => address.go({ ...stay, target: target.id })}>
          {target.name === null ? words.onlyThis : words.onlyTarget(`\u2068${cleanName(target.name)}\u2069`)}
        </LinkButton>
      )}
    </div>
  )
}
