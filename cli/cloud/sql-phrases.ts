import { english, persian } from '#platform/words'
import { type BilingualText, type OptionHelp, sentence } from '../command.ts'

export const sqlOptions: OptionHelp = {
  file: {
    value: 'FILE|DIR',
    about: sentence(
      'فایل‌های مهاجرت (.sql) به ترتیب، یا پوشهٔ آن‌ها؛ هر کدام یک بار اجرا می‌شود. تکرارشدنی',
      'migrations (.sql) in their order, or the folder of them; each runs once. Repeatable',
    ),
  },
}

export const sqlPhrases = {
  sql: sentence(
    'SQL روی بک‌اند اختصاصی: QUERY یا ورودی را اجرا می‌کند و تنها می‌خواند، مگر با --write؛ -f مهاجرت‌ها را اجرا می‌کند',
    'SQL on a dedicated app back-end: runs QUERY, or what it reads from standard input, and only reads unless --write is given; -f runs migrations',
  ),
  tables: sentence(
    'جدول‌های یک بک‌اند اختصاصی با ردیف‌ها و اندازه‌هایشان',
    'the tables of a dedicated app back-end with their rows and sizes',
  ),
  typeQuery: sentence('SQL را بنویسید و با Ctrl-D پایان دهید:', 'Type the SQL, and end it with Ctrl-D:'),
  queryOrFile: (): BilingualText =>
    sentence('یا QUERY را بنویسید یا -f، نه هر دو را.', 'Give either a query or -f, not both.'),
  queryTooLong: (): BilingualText =>
    sentence('پرس‌وجو بیش از ۴۰٬۰۰۰ کاراکتر است.', 'The query is longer than 40,000 characters.'),
  fileTooLong: (file: string): BilingualText =>
    sentence(
      `${file} بیش از ۳۹٬۵۰۰ کاراکتر دارد و در یک درخواست جا نمی‌شود؛ آن را چند مهاجرت کنید.`,
      `${file} is longer than 39,500 characters, more than a request takes; make several migrations of it.`,
    ),
  notText: (file: string): BilingualText =>
    sentence(`${file} متن UTF-8 نیست.`, `${file} is not text in UTF-8.`),
  noFiles: (place: string): BilingualText =>
    sentence(`در ${place} هیچ فایل .sql نیست.`, `There is no .sql file in ${place}.`),
  tooManyFiles: (max: number): BilingualText =>
    sentence(
      `بیش از ${persian(max)} فایل؛ مهاجرت‌های کهنه را یکی کنید.`,
      `More than ${english(max)} files; join old migrations into one.`,
    ),
  sameName: (name: string): BilingualText =>
    sentence(
      `دو فایل نام ${name} دارند؛ هر مهاجرت نام خود را می‌خواهد.`,
      `Two files are named ${name}; each migration needs its own name.`,
    ),
  changed: (name: string): BilingualText =>
    sentence(
      `${name} پیش از این اجرا شده و از آن پس تغییر کرده است؛ آن را به حال نخست برگردانید و تغییر را در مهاجرت تازه‌ای بنویسید.`,
      `${name} has been run and was changed since; put it back as it was, and write the change as a new migration.`,
    ),
  mixed: (name: string): BilingualText =>
    sentence(
      `در ${name} دستوری هست که در تراکنش اجرا نمی‌شود (CONCURRENTLY یا VACUUM) و دستورهای دیگری کنار آن؛ آن را در فایل جداگانه‌ای بنویسید. چیزی اجرا نشد.`,
      `${name} has a statement that cannot run in a transaction (CONCURRENTLY or VACUUM), and others beside it; write it into a file of its own. Nothing was run.`,
    ),
  runsElsewhere: (name: string): BilingualText =>
    sentence(
      `${name} جای دیگری در حال اجراست؛ منتظر پایانش می‌مانیم`,
      `${name} is being run elsewhere; waiting for its end`,
    ),
  inDoubt: (name: string, quoted: string): BilingualText =>
    sentence(
      `${name} بیرون از تراکنش آغاز شده و پایانش دانسته نیست. نگاه کنید که کارش انجام شده است یا نه (نمایهٔ نیمه‌کاره را با DROP INDEX بردارید)، سپس با kherad cloud sql --write یکی از این دو را اجرا کنید: اگر انجام شده update kherad_migrations.applied set applied_at = now() where name = ${quoted} و اگر باید دوباره اجرا شود delete from kherad_migrations.applied where name = ${quoted}`,
      `${name} was begun outside of a transaction, and its end is not known. Look whether it did its work (drop an index that is not valid), then run one of these with kherad cloud sql --write. If it did: update kherad_migrations.applied set applied_at = now() where name = ${quoted}. To run it again: delete from kherad_migrations.applied where name = ${quoted}`,
    ),
  outOfOrder: (name: string, later: string): BilingualText =>
    sentence(
      `${name} هنوز اجرا نشده ولی ${later} که پس از آن است اجرا شده؛ نامی به آن بدهید که در پایان بیاید.`,
      `${name} has not been run, but ${later}, which comes after it, has; give it a name that comes last.`,
    ),
  ran: (name: string): BilingualText => sentence(`${name} اجرا شد.`, `${name} has been run.`),
  upToDate: (known: number): BilingualText =>
    sentence(
      `کاری نماند: هر ${persian(known)} مهاجرت پیش از این اجرا شده است.`,
      `Nothing to do: all ${english(known)} migrations have been run before.`,
    ),
  rows: (count: number): BilingualText =>
    sentence(`${persian(count)} ردیف`, count === 1 ? '1 row' : `${english(count)} rows`),
  truncated: sentence(
    'ردیف‌های بیشتری هست؛ پاسخ حداکثر ۱٬۰۰۰ ردیف و یک مگابایت دارد.',
    'There are more rows; an answer has 1,000 rows and 1 MB at most.',
  ),
  notDedicated: (): BilingualText =>
    sentence(
      'این بک‌اند Starter است و جدول ندارد؛ kherad cloud collections list مجموعه‌هایش را نشان می‌دهد.',
      'This is a Starter back-end, which has no tables; kherad cloud collections list shows its collections.',
    ),
  moreTables: sentence('جدول‌های بیشتری هست.', 'There are more tables.'),
  count: (count: number): BilingualText => sentence(persian(count), english(count)),
  columns: {
    name: sentence('نام', 'NAME'),
    kind: sentence('نوع', 'KIND'),
    security: sentence('دسترسی', 'ACCESS'),
    rows: sentence('ردیف‌ها (برآورد)', 'ROWS (ESTIMATE)'),
    bytes: sentence('بایت', 'BYTES'),
  },
  kinds: {
    table: sentence('جدول', 'table'),
    partitioned_table: sentence('جدول بخش‌بندی‌شده', 'partitioned table'),
    view: sentence('نما', 'view'),
    materialized_view: sentence('نمای ذخیره‌شده', 'materialized view'),
    foreign_table: sentence('جدول بیرونی', 'foreign table'),
  } as Record<string, BilingualText>,
  policies: (count: number): BilingualText =>
    sentence(`${persian(count)} سیاست دسترسی`, count === 1 ? '1 policy' : `${english(count)} policies`),
  unguarded: sentence('بی سیاست دسترسی (RLS خاموش)', 'no RLS'),
}
