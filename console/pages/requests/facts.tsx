import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { LinkButton } from '../../pieces/button.tsx'
import { CopyLink } from '../../pieces/copy-button.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { formatCode } from '../../spending/result.ts'
import { cleanName } from '../../words/clean-name.ts'
import { formatFull } from '../../words/dates.ts'
import { formatNumber } from '../../words/digits.ts'
import { Id, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { chargeWords } from './charge.words.ts'
import type { Details } from './details.ts'
import { names, usageAddress } from './filters.ts'
import type { Report } from './queries.ts'
import styles from './requests.module.css'

interface FactsProps {
  report: Report
  details: Details
  timeZone: string
}

type Fact = readonly [title: string, value: ReactNode] | false

/** All else that is known of a call, with what to copy and where to go on. */
export function Facts({ report, details, timeZone }: FactsProps): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  const { account } = useAccount()
  const { tokens } = details
  const { model, person, customer_id: customer, reference_id: reference } = report
  const began = new Date(report.created_at)
  const lastedMs = report.finished_at === null ? undefined : Date.parse(report.finished_at) - began.getTime()
  const number = (value: number): string => formatNumber(locale, value, { most: 2 })
  const lastedOf = (ms: number): string => {
    const seconds = ms / 1_000
    if (ms < 10) return words.seconds(words.instant(number(0.01)))
    if (seconds < 120) return words.seconds(number(seconds))
    return seconds < 7_200 ? words.minutes(number(seconds / 60)) : words.hours(number(seconds / 3_600))
  }
  const facts: Fact[] = [
    [
      words.began,
      <time key="began" dateTime={report.created_at}>
        {formatFull(locale, began, { timeZone })}
      </time>,
    ],
    lastedMs !== undefined && [words.lasted, lastedOf(lastedMs)],
    model !== null && [
      words.model,
      <Filtered key="model" name={names.model} value={model} title={words.model} isId />,
    ],
    [
      words.endpoint,
      <Filtered key="endpoint" name={names.endpoint} value={report.endpoint} title={words.endpoint} isId />,
    ],
    tokens !== null &&
      tokens.input + tokens.output > 0 && [
        words.tokens,
        tokens.reasoning > 0
          ? words.tokensReasoned(number(tokens.input), number(tokens.output), number(tokens.reasoning))
          : words.tokensOf(number(tokens.input), number(tokens.output)),
      ],
    report.status_code !== null && [
      words.status,
      <bdi key="status">{formatCode(locale, report.status_code)}</bdi>,
    ],
    // Receipts of earlier releases name an error of the upstream although the caller left.
    details.errorCode !== undefined &&
      report.status_code !== 499 && [words.error, <Id key="error">{details.errorCode}</Id>],
    [words.project, <Name key="project">{projectName(account?.projects, report.project_id)}</Name>],
    person
      ? [words.person, <Payer key="person" report={report} />]
      : [report.management_key ? words.managementKey : words.key, <Payer key="key" report={report} />],
    customer !== null && [
      words.customer,
      <Filtered key="customer" name={names.customerId} value={customer} title={words.customer} />,
    ],
    reference !== null && [
      words.reference,
      <Filtered key="reference" name={names.referenceId} value={reference} title={words.reference} />,
    ],
    [words.id, <Copied key="id" text={report.id} title={words.id} />],
    report.idempotency_key !== '' && [
      words.idempotency,
      <Copied key="idempotency" text={report.idempotency_key} title={words.idempotency} />,
    ],
  ]
  return (
    <section className={styles['part']} aria-label={words.facts}>
      <dl className={styles['facts']}>
        {facts
          .filter((fact) => fact !== false)
          .map(([title, value]) => (
            <div key={title} className={styles['fact']}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <UsageLink report={report} />
    </section>
  )
}

const projectName = (projects: readonly { id: string; name: string }[] | undefined, id: string): string =>
  projects?.find((one) => one.id === id)?.name ?? id

/** A value, and the list of all calls that have it. */
function Filtered({
  name,
  value,
  title,
  isId = false,
}: {
  name: string
  value: string
  title: string
  isId?: boolean
}): ReactNode {
  const words = useWords(chargeWords)
  const address = useAddress()
  return (
    <>
      {isId ? <Id>{cleanName(value)}</Id> : <Name>{value}</Name>}{' '}
      <LinkButton aria-label={words.sameFilterOf(title)} onClick={() => address.go({ [name]: value })}>
        {words.sameFilter}
      </LinkButton>
    </>
  )
}

/** Who paid: the person of the session, or the key; with a link where the role may see them. */
function Payer({
  report: { person, key_id: key, key_name: name, management_key: isManagement },
}: {
  report: Report
}): ReactNode {
  const { may } = useAccount()
  if (person)
    return may('members:read') ? (
      <Link to="/members/$id" params={{ id: person.id }}>
        <Name>{person.name}</Name>
      </Link>
    ) : (
      <Name>{person.name}</Name>
    )
  const shown = name === null ? <Id title={key}>{key.slice(0, 8)}</Id> : <Name>{name}</Name>
  return may(isManagement ? 'management_keys:read' : 'keys:read') ? (
    <Link to={isManagement ? '/management-keys/$id' : '/keys/$id'} params={{ id: key }}>
      {shown}
    </Link>
  ) : (
    shown
  )
}

const Copied = ({ text, title }: { text: string; title: string }): ReactNode => {
  const words = useWords(chargeWords)
  return (
    <>
      <Id>{text}</Id> <CopyLink text={text} label={words.copy(title)} />
    </>
  )
}

/** The usage of the same model and payer, where the console has that page. */
function UsageLink({ report }: { report: Report }): ReactNode {
  const words = useWords(chargeWords)
  const { model, person, key_id: keyId, project_id: project } = report
  const to = usageAddress({
    model: model ?? undefined,
    project,
    ...(person ? { personId: person.id } : { keyId }),
  })
  return (
    <div>
      <Link to={to}>{words.usageHere}</Link>
    </div>
  )
}
