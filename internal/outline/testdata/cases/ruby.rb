#!/usr/bin/env ruby
require 'json'
require_relative "helper"
=begin
def commented
end
=end

module Outer
  class Inner::Deep < Struct.new(:a, :b)
    attr_reader :end, :class
    CONSTANT = %w[def end class]

    class << self
      def build(...) = new(...)
      def create; end
    end

    def self.make(a, b: 1, &block)
      text = <<~TEXT + <<-'OTHER'
        def in_heredoc
        end
      TEXT
        class InOther
        OTHER
      return if a
      x = if b then 1 else 2 end
      [1].each do |i| puts i end
      while a do a = false end
      until b
        b = true
      end
      a.class.end rescue nil
      { if: 1, end: 2, class: 3 }
      begin; 1; ensure; 2; end while false
    end

    def ==(other) = other.is_a?(Deep)
    def [](i); @a[i]; end
    def []=(i, v)
      @a[i] = v / 2 / 1
    end
    def valid?; a =~ /def regex end/ && %r{end/}; end
    def name=(v)
      @name = v
    end
    def +@; self; end
    private def hidden = 1
    def interpolate
      "#{if true then "end" else 'def' end} #{"nested #{1}"}"
      ?e; :"end"; 'it''s'; `ls end`
    end
    protected

    def case_when(x)
      case x
      when 1 then 2
      else
        for i in 1..2 do puts i end
      end unless x
    end
  end
end

def top_level arg, other
  yield
end
class Empty; end
Point = Class.new do
  def in_block; end
end
puts top_level 1, 2
__END__
def after_end
end
