import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useAction } from '../api/use-action.ts'
import { Badge } from '../pieces/badge.tsx'
import { Button, LinkButton } from '../pieces/button.tsx'
import { Bar, Fact, Figure, Grid } from '../pieces/card.tsx'
import { Chart } from '../pieces/chart.tsx'
import { Chips } from '../pieces/chips.tsx'
import { CodeBlock } from '../pieces/code-block.tsx'
import { ConfirmDialog } from '../pieces/confirm-dialog.tsx'
import { CopyLink } from '../pieces/copy-button.tsx'
import { CopyField } from '../pieces/copy-field.tsx'
import { Dialog, DialogActions } from '../pieces/dialog.tsx'
import { LogList } from '../pieces/log-list.tsx'
import { NameDialog } from '../pieces/name-dialog.tsx'
import { pieceWords } from '../pieces/pieces.words.ts'
import { Row, Rows } from '../pieces/rows.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../pieces/states.tsx'
import { Tabs } from '../pieces/tabs.tsx'
import { showToast } from '../pieces/toasts.ts'
import { formatMicrocredits, formatNumber, formatPercent } from '../words/digits.ts'
import { FileName, Id, Ltr, Moment, Name } from '../words/personal.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { Calls } from './calls.tsx'
import { Fields } from './fields.tsx'
import styles from './gallery.module.css'
import { galleryWords } from './gallery.words.ts'
import { Composing, Writing } from './talk.tsx'

function Buttons(): ReactNode {
  const words = useWords(galleryWords)
  return (
    <div className={styles['row']}>
      <Button kind="primary">{words.primary}</Button>
      <Button>{words.plain}</Button>
      <Button kind="quiet">{words.quiet}</Button>
      <Button kind="danger">{words.danger}</Button>
      <Button kind="primary" isBusy>
        {words.primary}
      </Button>
      <Button isBusy>{words.plain}</Button>
      <Button kind="primary" disabled>
        {words.disabled}
      </Button>
      <Button disabled>{words.disabled}</Button>
    </div>
  )
}

function Figures(): ReactNode {
  const words = useWords(galleryWords)
  const locale = useLocale()
  const number = (value: number): string => formatNumber(locale, value)
  return (
    <Grid columns="figures">
      <Figure
        label={words.spendable}
        value={number(18_420)}
        exact={formatMicrocredits(locale, 18_420_170_023n)}
        unit={words.unit}
        note={words.spendableNote}
      />
      <Figure label={words.today} value={number(726)} unit={words.unit} note={words.todayNote} />
      <Figure
        label={words.monthCap}
        value={formatPercent(locale, 0.48)}
        part={0.48}
        note={`${number(9_580)} / ${number(20_000)}`}
      />
      <Figure label={words.monthCap} value={formatPercent(locale, 0.87)} part={0.87} />
      <Figure
        label={words.monthCap}
        value={formatPercent(locale, 1)}
        part={1}
        action={<LinkButton>{words.change}</LinkButton>}
      />
      <Fact
        label={words.monthCap}
        action={<LinkButton>{words.change}</LinkButton>}
        below={<Bar part={0.48} label={words.monthCap} />}
      >
        {number(20_000)} {words.unit}
      </Fact>
    </Grid>
  )
}

const spent = [320n, 0n, 280n, 410n, 390n, 130n, 210n, 560n]

function Charts(): ReactNode {
  const words = useWords(galleryWords)
  const locale = useLocale()
  const bars = spent.map((value, at) => ({ key: `${at}`, title: formatNumber(locale, at + 1), value }))
  const shared = {
    caption: words.sections.chart,
    columns: { title: words.day, value: words.credits, part: words.key, before: words.today },
    format: (value: bigint) => `${formatNumber(locale, value)} ${words.unit}`,
    ends: [formatNumber(locale, 1), words.today] as const,
  }
  return (
    <Grid columns="two">
      <Chart {...shared} bars={bars} marked="7" />
      <Chart
        {...shared}
        bars={bars.map((bar, at) => ({ ...bar, part: bar.value / 3n, before: spent.at(-at)! }))}
      />
      <Chart {...shared} bars={bars.map((bar) => ({ ...bar, value: 0n }))} />
    </Grid>
  )
}

function Badges(): ReactNode {
  const words = useWords(galleryWords)
  return (
    <div className={styles['row']}>
      <Badge kind="good">{words.good}</Badge>
      <Badge kind="attention">{words.replaced}</Badge>
      <Badge kind="failure">{words.failed}</Badge>
      <Badge>{words.running}</Badge>
      <Badge kind="teal">{words.chosen}</Badge>
    </div>
  )
}

function ShortList(): ReactNode {
  const words = useWords(galleryWords)
  return (
    <Rows label={words.sections.rows}>
      <Row
        title={<Name>Firefox, Linux</Name>}
        badges={<Badge kind="teal">{words.chosen}</Badge>}
        note={words.spendableNote}
      />
      <Row
        title={<Name>Safari, iPhone</Name>}
        note={words.todayNote}
        actions={
          <>
            <Button>{words.plain}</Button>
            <Button>{words.danger}</Button>
          </>
        }
      />
    </Rows>
  )
}

function States(): ReactNode {
  const words = useWords(galleryWords)
  const refusal = new ApiError(
    402,
    { code: 'INSUFFICIENT_CREDITS', message: words.refused },
    '019ad2f1-6c1e-7b52-9a44-2f0d61c9e186',
  )
  return (
    <>
      <Notice>{words.notice}</Notice>
      <Notice kind="good">{words.noticeGood}</Notice>
      <Notice kind="attention">{words.noticeAttention}</Notice>
      <Notice kind="failure">{words.refused}</Notice>
      <Grid columns="two">
        <EmptyState title={words.empty} action={<Button kind="primary">{words.primary}</Button>}>
          {words.emptyWhy}
        </EmptyState>
        <ErrorState error={refusal} onAgain={() => {}} />
      </Grid>
      <Skeleton lines={3} onAgain={() => {}} />
    </>
  )
}

const secret = 'khr_9fQ2mZ7pLx4Tn8RkW3vB6yHs1dJc81Lk0'
const samples = [
  {
    language: 'curl',
    code: `curl https://kherad.example.ir/v1/chat/completions \\\n  -H "Authorization: Bearer ${secret}" \\\n  -H "Content-Type: application/json" \\\n  -d '{"messages":[{"role":"user","content":"سلام!"}]}'`,
  },
  {
    language: 'Python',
    code: `from openai import OpenAI\n\nclient = OpenAI(base_url="https://kherad.example.ir/v1", api_key="${secret}")`,
  },
]

function Copying(): ReactNode {
  const words = useWords(galleryWords)
  return (
    <>
      <CopyField text={secret} isPrimary />
      <div className={styles['row']}>
        <Id>acme/fast</Id>
        <CopyLink text="acme/fast" label={words.firstCall} />
      </div>
      <CodeBlock samples={samples} label={words.firstCall} />
    </>
  )
}

const percents = [50, 80, 100]

function ChipLists(): ReactNode {
  const words = useWords(galleryWords)
  const locale = useLocale()
  const [left, setLeft] = useState(percents)
  const itemOf = (value: number) => ({ value, label: formatPercent(locale, value / 100) })
  return (
    <div className={styles['row']}>
      <Chips label={words.monthCap} items={percents.map(itemOf)} />
      <Chips
        label={words.monthCap}
        items={left.map(itemOf)}
        onRemove={(value) => setLeft(left.filter((one) => one !== value))}
      />
    </div>
  )
}

function Log(): ReactNode {
  const words = useWords(galleryWords)
  const [open, setOpen] = useState<string>()
  const item = (key: string, at: string, text: string, to?: string) => ({
    key,
    at,
    text: (
      <>
        <strong>{words.sara}</strong> {text}
      </>
    ),
    to,
  })
  return (
    <LogList
      label={words.audit}
      days={[
        {
          title: words.today,
          items: [
            item('1', '2026-11-29T10:32:11Z', words.cappedKey, words.monthCap),
            item('2', '2026-11-29T09:02:40Z', words.madeKey),
          ],
        },
      ]}
      openKey={open}
      onOpen={setOpen}
      detailOf={() => words.notice}
    />
  )
}

function TabList(): ReactNode {
  const words = useWords(galleryWords)
  const [shown, setShown] = useState<'members' | 'sessions' | 'audit'>('members')
  return (
    <Tabs
      label={words.sections.tabs}
      tabs={[
        { name: 'members', title: words.members },
        { name: 'sessions', title: words.sessions },
        { name: 'audit', title: words.audit },
      ]}
      shown={shown}
      onShow={setShown}
    >
      {words[shown]}
    </Tabs>
  )
}

function Dialogs(): ReactNode {
  const words = useWords(galleryWords)
  const pieces = useWords(pieceWords)
  const [isOpen, setOpen] = useState(false)
  const [isNaming, setNaming] = useState(false)
  const [isRenaming, setRenaming] = useState(false)
  const [name, setName] = useState('ربات پشتیبانی ۲')
  const revoke = useAction(async () => setNaming(false))
  return (
    <div className={styles['row']}>
      <Button onClick={() => setOpen(true)}>{words.open}</Button>
      <Button onClick={() => setNaming(true)}>{words.confirmByName}</Button>
      <Button onClick={() => setRenaming(true)}>{words.rename}</Button>
      {isRenaming && (
        <NameDialog
          title={words.rename}
          label={words.keyName}
          name={name}
          rename={async (to) => setName(to)}
          onClose={() => setRenaming(false)}
        />
      )}
      {isNaming && (
        <ConfirmDialog
          title={words.revoke}
          name="ربات پشتیبانی ۲"
          verb={words.danger}
          action={revoke}
          onClose={() => setNaming(false)}
        >
          {words.revokeWhy}
        </ConfirmDialog>
      )}
      <Button onClick={() => showToast(words.undone, { undo: () => {} })}>{words.toast}</Button>
      <Dialog title={words.revoke} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>{words.revokeWhy}</p>
        <DialogActions>
          <Button onClick={() => setOpen(false)}>{pieces.cancel}</Button>
          <Button kind="danger" onClick={() => setOpen(false)}>
            {words.danger}
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  )
}

function Texts(): ReactNode {
  const words = useWords(galleryWords)
  return (
    <>
      <p>
        {words.invited} <Name>Ann (C++)</Name> <Ltr>ann@example.ir</Ltr>
      </p>
      <p>
        {words.file} <FileName>گزارش فروش ۱۴۰۵.xlsx</FileName>
      </p>
      <p>
        {words.modelColumn} <Id>acme/fast</Id> · {words.moment} <Moment at="2026-11-29T10:32:11Z" />
      </p>
    </>
  )
}

function Tables(): ReactNode {
  const words = useWords(galleryWords)
  return (
    <>
      <Calls />
      <p>{words.asCards}</p>
      <Calls hasCards />
    </>
  )
}

export const sections = {
  buttons: () => <Buttons />,
  fields: () => <Fields />,
  figures: () => <Figures />,
  chart: () => <Charts />,
  badges: () => <Badges />,
  table: () => <Tables />,
  rows: () => <ShortList />,
  states: () => <States />,
  copy: () => <Copying />,
  tabs: () => <TabList />,
  chips: () => <ChipLists />,
  log: () => <Log />,
  dialogs: () => <Dialogs />,
  text: () => <Texts />,
  markdown: () => <Writing />,
  composer: () => <Composing />,
}
