import { english, persian, persianDigits } from '#platform/words'
import { type BilingualText, type OptionHelp, sentence } from '../../command.ts'

export const studioPhrases = {
  image: sentence(
    'تصویری از روی متن می‌کشد و ذخیره می‌کند؛ روی خروجی تنها نشانی فایل‌هاست. با - متن از ورودی استاندارد خوانده می‌شود',
    'draws pictures and saves them; standard output has their paths and nothing else. The prompt - is read from standard input',
  ),
  speak: sentence(
    'متن یا گفت‌وگویی را می‌خواند و ذخیره می‌کند؛ روی خروجی تنها نشانی فایل است. با - متن از ورودی استاندارد خوانده می‌شود',
    'speaks a text or a dialogue and saves it; standard output has its path and nothing else. The text - is read from standard input',
  ),

  // Typed wrong
  oneText: () =>
    sentence(
      'یکی از این سه را بدهید، و تنها یکی: TEXT (یا - برای ورودی استاندارد)، ‏--file یا --dialogue.',
      'Give one of the three, and one only: TEXT (or - for standard input), --file or --dialogue.',
    ),
  noText: (what: string) =>
    sentence(`${what} خالی است: متنی در آن بنویسید.`, `${what} is empty: write a text in it.`),
  notUtf8: (what: string) =>
    sentence(
      `${what} متن UTF-8 نیست: آن را با UTF-8 ذخیره کنید.`,
      `${what} is no text in UTF-8: save it as UTF-8.`,
    ),
  textTooLong: (what: string, max: number) =>
    sentence(
      `${what} از ${persian(max)} کاراکتر بلندتر است: آن را تکه‌تکه بفرستید.`,
      `${what} is longer than ${english(max)} characters: send it in pieces.`,
    ),
  notWithin: (option: string, typed: string, min: number, max: number) =>
    sentence(
      `${option} برابر «${typed}» است: عددی صحیح از ${persian(min)} تا ${persian(max)} بنویسید.`,
      `${option} is "${typed}": write a whole number from ${min} to ${english(max)}.`,
    ),
  badIdempotencyKey: () =>
    sentence(
      '--idempotency-key باید ۱ تا ۱۲۸ حرف، رقم یا نشانهٔ لاتین بدون فاصله باشد.',
      '--idempotency-key must be 1 to 128 Latin letters, digits or signs, without blanks.',
    ),
  tooManyReferences: (max: number) =>
    sentence(
      `--reference حداکثر ${persian(max)} بار می‌آید.`,
      `--reference may be given ${max} times at most.`,
    ),
  notAPicture: (place: string) =>
    sentence(
      `${place} تصویر png، jpeg یا webp نیست: آن را به یکی از این‌ها تبدیل کنید.`,
      `${place} is no png, jpeg or webp: convert it to one of these.`,
    ),
  badDialogue: (place: string) =>
    sentence(
      `${place} گفت‌وگو نیست: فهرستی JSON از { "text", "voice" } بنویسید، یا هر نوبت را در یک خط به شکل «صدا: متن».`,
      `${place} is no dialogue: write a JSON list of { "text", "voice" }, or each turn on a line as "voice: text".`,
    ),
  badTurn: (place: string, line: number) =>
    sentence(
      `خط ${persian(line)} از ${place} به شکل «صدا: متن» نیست.`,
      `Line ${line} of ${place} is not written as "voice: text".`,
    ),
  dialogueAlone: (option: string) =>
    sentence(
      `${option} با --dialogue نمی‌آید: هر نوبت صدا و دستور خود را دارد.`,
      `${option} cannot be given with --dialogue: each turn has its own.`,
    ),

  // Refused
  exists: (place: string) =>
    sentence(
      `${place} هست و بازنویسی نمی‌شود: نامی دیگر یا --force بنویسید.`,
      `${place} exists and is not overwritten: write another name, or --force.`,
    ),
  notSaved: (place: string, why: string) =>
    sentence(`${place} ذخیره نشد: ${why}.`, `${place} could not be saved: ${why}.`),
  timedOut: (seconds: number) =>
    sentence(
      `پاسخ در ${persian(seconds)} ثانیه نیامد: با --timeout زمان بیشتری بدهید.`,
      `The answer did not come within ${english(seconds)} seconds: give it longer with --timeout.`,
    ),
  badAnswer: () =>
    sentence(
      'پاسخ سرور آن نیست که خرد می‌دهد: KHERAD_BASE_URL یا --url را بررسی کنید.',
      'The server did not answer as Kherad does: check KHERAD_BASE_URL or --url.',
    ),
  interrupted: () =>
    sentence(
      'دستور رها شد. سرور سفارشی را که گرفته به پایان می‌رساند و نگه می‌دارد.',
      'The command was stopped. An order that the server has taken is finished and kept there.',
    ),
  repeat: (key: string) =>
    sentence(
      `همین دستور با --idempotency-key ${key} دوباره پولی نمی‌گیرد.`,
      `The same command with --idempotency-key ${key} gets it and is not charged twice.`,
    ),

  // On standard error
  progress: (seconds: number, bytes: number) =>
    sentence(
      `${persian(seconds)} ثانیه${bytes === 0 ? '' : ` · ${persian(kilobytes(bytes))} کیلوبایت`}`,
      `${seconds} s${bytes === 0 ? '' : ` · ${english(kilobytes(bytes))} kB`}`,
    ),
  done: (model: string, what: BilingualText, cost: BilingualText | undefined) =>
    sentence(
      `${what.fa} · ${model}${cost ? ` · هزینه: ${cost.fa} اعتبار` : ''}`,
      `${what.en} · ${model}${cost ? ` · cost: ${cost.en} credits` : ''}`,
    ),
  picturesOf: (count: number, width: number, height: number) =>
    sentence(
      `${persian(count)} تصویر ${persianDigits(width)}×${persianDigits(height)}`,
      `${count} ${count === 1 ? 'picture' : 'pictures'} of ${width}×${height}`,
    ),
  pictures: (count: number) =>
    sentence(`${persian(count)} تصویر`, `${count} ${count === 1 ? 'picture' : 'pictures'}`),
  sound: (seconds: number | undefined) =>
    seconds === undefined
      ? sentence('صدا', 'sound')
      : sentence(`${persian(seconds)} ثانیه صدا`, `${english(seconds)} s of sound`),
  repeated: () =>
    sentence(
      'این سفارش پیش‌تر انجام شده بود؛ دوباره چیزی کم نشد.',
      'This order was carried out before; nothing is charged again.',
    ),
  missing: (count: number) =>
    sentence(
      `${persian(count)} تصویر کشیده نشد و رایگان است.`,
      `${count} ${count === 1 ? 'picture' : 'pictures'} failed and ${count === 1 ? 'is' : 'are'} free.`,
    ),
}

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_000)

/** The options of every command that saves paid results. */
export const savedOptions: OptionHelp = {
  out: {
    value: 'FILE|FOLDER',
    about: sentence(
      'جای ذخیره؛ در نبودش نامی از نخستین واژه‌ها در همین پوشه',
      'where it is saved; when left out here, named by the first words',
    ),
  },
  force: { value: '', about: sentence('فایلی را که هست بازنویسی می‌کند', 'overwrites a file that exists') },
  'idempotency-key': {
    value: 'KEY',
    about: sentence(
      'نتیجهٔ سفارش پیشین را دوباره می‌دهد و دوباره پولی نمی‌گیرد',
      'gets an earlier order again, without another charge',
    ),
  },
}

const common: OptionHelp = {
  model: {
    value: 'ID',
    about: sentence('مدل؛ بر --preset مقدم است', 'the model; it goes before --preset'),
  },
  preset: {
    value: 'PRESET',
    about: sentence(
      'fast، ‏balanced یا quality، اگر مدلی نام نبرید',
      'fast, balanced or quality, where no model is named',
    ),
  },
  ...savedOptions,
  timeout: {
    value: 'SECONDS',
    about: sentence('بیشترین انتظار؛ در نبودش ۹۰۰', 'the longest wait; 900 when left out'),
  },
}

export const imageOptions: OptionHelp = {
  ...common,
  aspect: { value: '16:9|auto', about: sentence('نسبت پهنا به بلندا', 'the ratio of width to height') },
  size: {
    value: '800x400|auto',
    about: sentence('پهنا و بلندا به پیکسل، دقیقاً', 'width and height in pixels, exactly'),
  },
  fit: {
    value: 'pad|crop',
    about: sentence('راه رسیدن به اندازه: با حاشیه یا برش', 'how a size is reached'),
  },
  count: { value: '1…4', about: sentence('شمار تصویرها', 'how many pictures') },
  format: {
    value: 'png|jpeg|webp',
    about: sentence('قالب؛ در نبودش از پسوند --out', 'the format; when left out by the ending of --out'),
  },
  quality: { value: 'low|medium|high', about: sentence('کیفیت', 'the quality') },
  transparent: { value: '', about: sentence('بی پس‌زمینه', 'without a background') },
  reference: {
    value: 'FILE',
    about: sentence(
      'تصویری برای ویرایش یا الگو، تا هشت بار',
      'a picture to edit or to draw by, up to eight times',
    ),
  },
}

export const speechOptions: OptionHelp = {
  ...common,
  file: { value: 'FILE', about: sentence('متن در این فایل است', 'the text is in this file') },
  dialogue: {
    value: 'FILE',
    about: sentence(
      'گفت‌وگو: هر خط «صدا: متن»، یا فهرستی JSON',
      'a dialogue: lines of "voice: text", or a JSON list',
    ),
  },
  voice: { value: 'NAME', about: sentence('صدا، با شناسه یا نام', 'the voice, by id or name') },
  instructions: { value: 'TEXT', about: sentence('چگونه خوانده شود', 'how it is spoken') },
  format: {
    value: 'mp3|wav|pcm',
    about: sentence('قالب؛ در نبودش از پسوند --out', 'the format; when left out by the ending of --out'),
  },
}
