/** Renders neutral documents, tables and charts as files: Markdown, Word, PDF, workbooks, CSV, images, and ZIP bundles. */
export {
  type BundledFile,
  type Manifest,
  type ManifestEntry,
  manifestOf,
  manifestPath,
  pathFault,
  zip,
} from './bundle.ts'
export type { CategoryChart, Chart, DrawnChart, PieChart, ScatterChart, Series } from './chart/chart.ts'
export { documentFromMarkdown, type MarkdownMeta, maxMarkdownBytes } from './markdown/read.ts'
export { toMarkdown } from './markdown/write.ts'
export type {
  Alignment,
  Cell,
  Citation,
  CodeBlock,
  DocumentBlock,
  DocumentSource,
  FootnoteReference,
  Heading,
  Image,
  Images,
  Inline,
  Language,
  List,
  Paragraph,
  Quote,
  TableBlock,
  TextDocument,
  TextRun,
} from './model.ts'
export { inDigits, longDate } from './phrases.ts'
export {
  type Documents,
  openDocuments,
  type RenderContext,
  RenderFailed,
  type RenderFault,
} from './render.ts'
export { toCsv } from './workbook/csv.ts'
export type { Column, ColumnKind, Sheet, Value, Workbook } from './workbook/workbook.ts'
