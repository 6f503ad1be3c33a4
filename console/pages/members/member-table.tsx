import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Note } from '../../pieces/card.tsx'
import { type Column, Table } from '../../pieces/table.tsx'
import { shellWords } from '../../shell/shell.words.ts'
import { UsageLink } from '../../spending/usage-link.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatDay, formatFull } from '../../words/dates.ts'
import { formatNumber } from '../../words/digits.ts'
import { Ltr, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './members.module.css'
import { membersWords } from './members.words.ts'
import type { Member } from './queries.ts'
import { projectsOf, spentOf } from './reach.ts'

export function MemberTable({ members }: { members: readonly Member[] }): ReactNode {
  const words = useWords(membersWords)
  const { roles } = useWords(shellWords)
  const columns: Column<Member>[] = [
    { name: 'name', title: words.columns.name, cell: (member) => <Who of={member} /> },
    {
      name: 'role',
      title: words.columns.role,
      cell: ({ role, provider_id: provider }) => (
        <>
          {roles[role]}
          {provider !== null && <Note>{words.byProvider}</Note>}
        </>
      ),
    },
    { name: 'projects', title: words.columns.projects, cell: (member) => <Projects of={member} /> },
    // Whoever may not change members sees their own second factor alone, so there is no column of them.
    ...(members.every(({ has_second_factor: has }) => has !== null) ? [factorColumn(words)] : []),
    { name: 'spent', title: words.columns.spent, cell: (member) => <Spent of={member} /> },
    { name: 'joined', title: words.columns.joined, cell: ({ joined_at: at }) => <Since at={at} /> },
  ]
  return (
    <Table<Member>
      label={words.list}
      rows={members}
      keyOf={({ person_id: id }) => id}
      hasCards
      columns={columns}
    />
  )
}

const factorColumn = ({ columns, factor }: typeof membersWords.fa): Column<Member> => ({
  name: 'factor',
  title: columns.factor,
  cell: ({ has_second_factor: has }) => (
    <Badge kind={has ? 'good' : 'plain'}>{has ? factor.yes : factor.no}</Badge>
  ),
})

function Who({ of }: { of: Member }): ReactNode {
  const words = useWords(membersWords)
  return (
    <>
      <Link to="/members/$id" params={{ id: of.person_id }}>
        <Name>{of.display_name}</Name>
      </Link>
      {of.is_you && (
        <span className={styles['badges']}>
          <Badge kind="teal">{words.you}</Badge>
        </span>
      )}
      {of.email !== null && (
        <Note>
          <Ltr>{of.email}</Ltr>
        </Note>
      )}
    </>
  )
}

/** The day is enough; the whole moment on hover. */
function Since({ at }: { at: string }): ReactNode {
  const locale = useLocale()
  const moment = new Date(at)
  return (
    <time dateTime={at} title={formatFull(locale, moment)}>
      {formatDay(locale, moment, new Date())}
    </time>
  )
}

/** The projects by name where there is one, else their number. */
export function Projects({ of }: { of: Pick<Member, 'project_ids'> }): ReactNode {
  const words = useWords(membersWords)
  const locale = useLocale()
  const { account } = useAccount()
  if (of.project_ids === null) return words.allProjects
  const projects = projectsOf(of, account?.projects ?? [])
  const names = projects.map(({ name }) => cleanName(name))
  if (projects.length === 1) return <Name>{names[0]!}</Name>
  return <span title={names.join(' · ')}>{words.projects(formatNumber(locale, projects.length))}</span>
}

/** What was spent this month, of the cap where one project is all that counts. */
function Spent({ of }: { of: Member }): ReactNode {
  const words = useWords(membersWords)
  const locale = useLocale()
  const spent = formatNumber(locale, spentOf(of))
  const [only, second] = of.spending
  return (
    <UsageLink since="month" project="all" personId={of.person_id}>
      {only && !second && only.month_cap_credits !== null
        ? words.ofCap(spent, formatNumber(locale, only.month_cap_credits))
        : words.credits(spent)}
    </UsageLink>
  )
}
