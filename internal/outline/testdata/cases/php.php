#!/usr/bin/env php
<html><?php echo "function inHtml() {"; ?> function outside() {}
<?php
declare(strict_types=1);

namespace App\Models;

use App\Base;
use function strlen;

// function commented() {} ?><b>class Html {}</b><?php
# class AlsoCommented {}
define('VERSION', "1.0");
const LEVEL = 3, OTHER = 4;

#[Attribute(flags: "class X {")]
final class User extends Base implements \JsonSerializable
{
    use SoftDeletes, Notes { Notes::a as protected b; }

    public const A = 1;
    private ?string $class = 'function x() {';

    public function __construct(private readonly int $id, protected array $o = []) {}
    public static function &make(string|int $a, ?callable $f = null): ?static {
        $closure = function () use ($a) { return fn($x) => $x; };
        $anonymous = new class($a) extends Foo { public function hidden() {} };
        $text = <<<HTML
            function inHeredoc() { $a }
            HTML;
        $now = <<<'NOW'
class InNowdoc {
NOW;
        return User::class;
    }
    abstract protected function later(): void;
    function list() { return "{$this->a['}']} \" }"; }
}

interface HasName { const MAX = 1; public function name(): string; }
trait Notes { public function notes() { } }
enum Suit: string { case Hearts = 'H'; public function label(): string { return ''; } }
abstract class Shape { abstract function area(); }
function helper(int ...$xs) { function nested() {} return $xs; }
if (true): ?>
<p>class Template {}</p>
<?php endif;
