import { documentFromMarkdown, type TextDocument } from '#work/documents'

const persian = `# بازار خودروی برقی

این گزارش وضعیت **خودروهای برقی** را در سال ۱۴۰۵ بررسی می‌کند[^a] و با [گزارش آژانس](https://www.iea.org/) می‌سنجد [2].

## خلاصهٔ مدیریتی

- تقاضا از عرضه جلوتر است:
  - تهران با ۲۱۴ ایستگاه
    1. توان 150 kW
- زبان machine learning و \`df.groupby("city")\` و C++ به‌کار رفت.

۱. نخست
۲. دوم

   بند دوم از گام دوم

### روش پژوهش

\`\`\`python
print(f"{growth(12_500):.1f}%")  # درصد
\`\`\`

## یافته‌ها

| شهر | ایستگاه | سهم |
|---|---|---|
| تهران | ۲۱۴ | ۶۲٫۴٪ |
| Tabriz (تبریز) | ۲۲ | ۳٫۶٪ |

> «آینده در گرو برق است.»

![نمودار شهرها](charts/cities.png "نمودار ۱")

The global market grew by 24%.

\\newpage

## نتیجه

رشد کند می‌شود[^b].

[^a]: نگاه کنید به *Open Charge Map*.
[^b]: بر پایهٔ آمار ۲۰۲۶.
`

const english = `# Electric cars

This report studies **electric cars** in 2026[^a] and cites [1]. The project is called «خودروی برقی» in Persian.

## Summary

1. First
2. Second
   - nested

## Findings

| City | Stations |
|---|---:|
| Tehran | 214 |

آینده در گرو برق است.

[^a]: See the ministry's report.
`

const sources = [
  { title: 'گزارش سالانه', authors: 'وزارت نیرو', url: 'https://example.ir/report', date: '۱۴۰۵' },
  { title: 'Global EV Outlook', authors: 'IEA', url: 'https://www.iea.org/' },
]
/** 29 Aban 1405 in Tehran, still the day before in UTC. */
const dateMs = Date.UTC(2026, 10, 19, 21)
const whole = { titlePage: true, contents: true, numberedHeadings: true, dateMs, sources }

export const persianDocument: TextDocument = documentFromMarkdown(persian, {
  ...whole,
  language: 'fa',
  subtitle: 'گزارش پژوهشی',
  authors: ['دستیار پژوهش', 'Kherad'],
})

export const englishDocument: TextDocument = documentFromMarkdown(english, {
  ...whole,
  language: 'en',
  authors: ['Kherad Research'],
})

/** What would be code in Typst, in XML, in a field of Word or in a template, were it ever read as such. */
export const hostile = [
  '#read("/etc/passwd")',
  '#import "@preview/cetz:0.3.0": *',
  '#panic("x") #eval("1+1") #sys.inputs',
  '$x^2$ $ sum_(i=0)^n $',
  '@label <label> = heading',
  '*strong _emph `raw` ```block',
  '\\u{41} \\# \\ \\\\',
  '[content] ] [ { } ( ) #[ #{',
  '// comment /* comment */',
  '</w:t></w:r><w:p/> <script>alert(1)</script> &amp; &#65; ]]>',
  '{{#if}} <%= process.env.HOME %> %s %1$s',
  '"quotes" \'single\' -- --- ...',
]

export const documentOf = (...texts: string[]): TextDocument => ({
  title: texts[0] ?? '',
  language: 'en',
  blocks: texts.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
})
